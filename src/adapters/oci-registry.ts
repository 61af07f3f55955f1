import { SlessError } from '../errors.ts';
import type { ImageRegistry } from '../ports/image-registry.ts';
import { type RegistryCredentials, registryRequest } from './oci-registry-request.ts';

interface OciRegistryOptions {
  /** Plain HTTP. */
  readonly insecure: boolean;
  /** Tags a page; registries may give fewer. */
  readonly pageSize?: number;
  /** Asked before each login, so that a rotated password is taken up; `undefined` for a registry without one. */
  readonly credentials?: (host: string) => Promise<RegistryCredentials | undefined>;
}

/** What a manifest may be: an image or an index, in Docker's words or the OCI's. */
const MANIFESTS = [
  'application/vnd.oci.image.index.v1+json',
  'application/vnd.oci.image.manifest.v1+json',
  'application/vnd.docker.distribution.manifest.list.v2+json',
  'application/vnd.docker.distribution.manifest.v2+json',
].join(', ');

const DIGEST = /^sha(256|512):[0-9a-f]{64,128}$/;
/** More pages than that are no repository of one function. */
const MAX_PAGES = 100;

/** A registry that keeps the distribution spec of the Open Container Initiative (v1.1). */
export function createOciRegistry(
  fetch: typeof globalThis.fetch,
  options: OciRegistryOptions,
): ImageRegistry {
  const request = registryRequest(fetch, options);
  return {
    tags: async (repository) => {
      const tags: string[] = [];
      let path: string | undefined = `tags/list?n=${options.pageSize ?? 500}`;
      for (let page = 0; path !== undefined && page < MAX_PAGES; page++) {
        const response: Response = await request({ repository, path, accept: [200, 404] });
        if (response.status === 404) break;
        tags.push(...(await tagsOf(response)));
        path = nextOf(response);
      }
      return tags;
    },
    digest: async (repository, tag) => {
      const path = `manifests/${encodeURIComponent(tag)}`;
      const response = await request({
        repository,
        path,
        method: 'HEAD',
        headers: { accept: MANIFESTS },
        accept: [200, 404],
      });
      const digest = response.headers.get('docker-content-digest') ?? '';
      if (response.status === 404) return undefined;
      if (!DIGEST.test(digest))
        throw new SlessError('Unavailable', `the registry names no digest of ${repository}:${tag}`);
      return digest;
    },
    remove: async (repository, digest) => {
      const path = `manifests/${digest}`;
      const response = await request({
        repository,
        path,
        method: 'DELETE',
        accept: [200, 202, 404, 400, 405],
      });
      if (response.status === 405 || response.status === 400)
        throw new SlessError(
          'NotImplemented',
          'the registry deletes no images: for the one of the CNCF set REGISTRY_STORAGE_DELETE_ENABLED=true',
        );
    },
  };
}

async function tagsOf(response: Response): Promise<string[]> {
  const { tags } = (await response.json()) as { readonly tags?: readonly unknown[] | null };
  return (tags ?? []).filter((tag) => typeof tag === 'string');
}

/** `Link: </v2/a/b/tags/list?n=500&last=x>; rel="next"`: of it only the query is followed. */
function nextOf({ headers }: Response): string | undefined {
  const target = /<([^>]+)>\s*;\s*rel="?next"?/.exec(headers.get('link') ?? '')?.[1];
  return target === undefined ? undefined : `tags/list${new URL(target, 'http://registry').search}`;
}
