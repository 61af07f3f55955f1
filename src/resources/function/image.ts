import type { Runtime } from '../../runtimes/catalogue.ts';
import { shortHash } from '../kube/hash.ts';
import type { FunctionSettings } from './settings.ts';

const fill = (template: string, values: Readonly<Record<string, string>>): string =>
  template.replace(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole);

/** What one build is made from. */
export interface BuildInput {
  /** uid of the Function: one made again under the same name shares no image and no Job with its predecessor. */
  readonly uid: string;
  readonly key: string;
  readonly runtimeImage: string;
  readonly rebuild: string | undefined;
}

/** The tag of an image and the suffix of its Job: the same input, the same image; never `latest`. */
export function buildTag(input: BuildInput): string {
  return shortHash(input.uid, input.key, input.runtimeImage, input.rebuild ?? '');
}

/** Where the image of a build goes, by tag. */
export function functionImage(
  settings: FunctionSettings,
  of: { readonly namespace: string; readonly name: string; readonly tag: string },
): string {
  return fill(settings.imageTemplate, { registry: settings.registry, ...of });
}

/** The repository of a function's images: their name without the tag. */
export function repositoryFor(
  settings: Pick<FunctionSettings, 'imageTemplate' | 'registry'>,
  of: { readonly namespace: string; readonly name: string },
): string {
  const { registry, imageTemplate } = settings;
  return repositoryOf(fill(imageTemplate, { registry, ...of, tag: '' }));
}

/** The image that functions of this runtime are built upon. */
export function runtimeImage(
  settings: Pick<FunctionSettings, 'registry' | 'runtimeImageTemplate'>,
  runtime: Runtime,
): string {
  const { image, version } = runtime;
  return fill(settings.runtimeImageTemplate, { registry: settings.registry, image, version });
}

/** An image without its tag and digest. A colon before the last slash belongs to the registry's port. */
export function repositoryOf(image: string): string {
  const named = image.split('@', 1)[0] ?? image;
  const colon = named.lastIndexOf(':');
  return colon > named.lastIndexOf('/') ? named.slice(0, colon) : named;
}

/** The same image by digest. */
export function byDigest(image: string, digest: string): string {
  return `${repositoryOf(image)}@${digest}`;
}

/**
 * Whether two images are of one runtime, be it in other versions or from other registries: neither an upgrade of the
 * runtime nor a registry that moved shall rebuild every function.
 */
export function isSameRuntime(image: string, other: string): boolean {
  const lastSegment = (name: string): string | undefined => repositoryOf(name).split('/').at(-1);
  return lastSegment(image) === lastSegment(other);
}
