import type { ImageRegistry } from '../ports/image-registry.ts';
import { repositoryOf } from '../resources/function/image.ts';
import type { Garbage, Owner } from './item.ts';
import type { Usage } from './usage.ts';

/** The repository of a Function's images, by its address. */
export type RepositoryOf = (owner: Owner) => string;

interface Lookup {
  readonly registry: Pick<ImageRegistry, 'tags' | 'digest'>;
  readonly repository: string;
  readonly owner: Owner;
}

/**
 * The images of one repository that nothing uses, once each. An image in use by its tag (its digest was never told) keeps
 * that tag's digest.
 */
export async function unusedImages(
  { registry, repository, owner }: Lookup,
  usage: Usage,
): Promise<Garbage[]> {
  const used = usedNames(repository, usage);
  const unused = new Set<string>();
  const kept = new Set<string>(used);
  for (const tag of await registry.tags(repository)) {
    const digest = await registry.digest(repository, tag);
    if (digest === undefined) continue;
    if (used.has(tag)) kept.add(digest);
    else unused.add(digest);
  }
  return [...unused]
    .filter((digest) => !kept.has(digest))
    .sort()
    .map((digest) => ({ id: `${repository}@${digest}`, kind: 'image', owner }));
}

/** The tags and digests of one repository that are in use. */
function usedNames(repository: string, { images }: Usage): Set<string> {
  const names = [...images]
    .filter((image) => repositoryOf(image) === repository)
    .map((image) => image.slice(repository.length + 1));
  // `name:tag@digest` speaks of both.
  return new Set(names.flatMap((name) => name.split('@')));
}
