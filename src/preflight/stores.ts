import { isSlessError } from '../errors.ts';
import type { ImageRegistry } from '../ports/image-registry.ts';
import type { ObjectStore } from '../ports/object-store.ts';
import { type Finding, missing, note, ok } from './finding.ts';

/** Nothing lies there. A list tells an absent bucket from an empty one. */
const PREFIX = 'readiness/';

export async function checkStore(store: Pick<ObjectStore, 'list'>, bucket: string): Promise<Finding[]> {
  try {
    for await (const _ of store.list(PREFIX)) break;
    return [ok(`the bucket ${bucket} can be listed`)];
  } catch (error) {
    const says = `the bucket ${bucket} cannot be used: ${words(error)}`;
    return [missing(says, 'storage.* of the chart: endpoint, bucket, region and the Secret with the keys')];
  }
}

/** An image that must be in the registry before anything can be built or run. */
export interface WantedImage {
  readonly image: string;
  /** For a sentence: "the image of the runtime python3.11". */
  readonly what: string;
}

/** Whether these images are there. A registry that wants a login, which this pod does not have, says nothing of it. */
export async function checkImages(
  registry: Pick<ImageRegistry, 'digest'>,
  images: readonly WantedImage[],
): Promise<Finding[]> {
  return Promise.all(images.map((wanted) => imageFinding(registry, wanted)));
}

async function imageFinding(
  registry: Pick<ImageRegistry, 'digest'>,
  { image, what }: WantedImage,
): Promise<Finding> {
  if (image.includes('@')) return ok(`${what} is named by its digest, ${image}`);
  const [, repository = image, tag = 'latest'] = /^(.*):([^/:]+)$/.exec(image) ?? [];
  try {
    const digest = await registry.digest(repository, tag);
    if (digest !== undefined) return ok(`${what} is in the registry`);
    return missing(
      `${what}, ${image}, is not in the registry`,
      'push the images of this version: docs/install.md',
    );
  } catch (error) {
    const why = words(error);
    if (isSlessError(error, 'RegistryRefused'))
      return note(
        `the registry wants a login, so nothing can be said of ${what}, ${image}`,
        'see that it is there',
      );
    return missing(
      `the registry cannot be asked for ${image}: ${why}`,
      'registry.host and registry.insecure',
    );
  }
}

function words(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
