import { isSlessError, SlessError } from '../../errors.ts';
import type { ControllerCluster, ObjectRef } from '../../ports/cluster.ts';
import { findKind, type Kind } from '../../resources/kube/kinds.ts';
import type { KubeObject } from '../../resources/kube/object.ts';
import { homePath, objectPath } from './api-path.ts';
import type { ApiRequest } from './connection.ts';
import { listPage, PAGE_SIZE, withKind } from './list.ts';
import { startWatch, WATCH_DEFAULTS, type WatchDeps, type WatchOptions } from './watch.ts';

interface ClusterOptions {
  /** The name under which plain creates and patches appear in `managedFields`. */
  readonly fieldManager?: string;
  readonly watch?: Partial<WatchOptions>;
}

const FIELD_MANAGER = 'sless';

/** The cluster port over a real API server. */
export function createKubernetesCluster(deps: WatchDeps, options: ClusterOptions = {}): ControllerCluster {
  const { connection } = deps;
  const fieldManager = options.fieldManager ?? FIELD_MANAGER;
  const watchOptions = { ...WATCH_DEFAULTS, ...options.watch };
  const change = async (kind: Kind, request: ApiRequest): Promise<KubeObject> =>
    withKind(kind, objectIn(await connection.request(request), request));
  return {
    get: async (ref) => {
      try {
        return await change(ref.kind, { method: 'GET', path: objectPath(ref) });
      } catch (error) {
        if (isSlessError(error, 'NotFound')) return undefined;
        throw error;
      }
    },
    list: async (query, page = {}) => {
      const { items, next } = await listPage(connection, query, { limit: PAGE_SIZE, ...page });
      return next === undefined ? { items } : { items, next };
    },
    create: async (object) => {
      const path = homePath(refOf(object));
      return change(kindOf(object), { method: 'POST', path, query: { fieldManager }, body: object });
    },
    patch: async (ref, patch, { subresource } = {}) =>
      change(ref.kind, {
        method: 'PATCH',
        path: objectPath(ref, subresource),
        query: { fieldManager },
        body: patch,
        contentType: 'application/merge-patch+json',
      }),
    delete: async (ref, { uid, resourceVersion } = {}) => {
      const asked = {
        ...(uid === undefined ? {} : { uid }),
        ...(resourceVersion === undefined ? {} : { resourceVersion }),
      };
      const preconditions = Object.keys(asked).length === 0 ? {} : { preconditions: asked };
      const body = {
        apiVersion: 'v1',
        kind: 'DeleteOptions',
        propagationPolicy: 'Background',
        ...preconditions,
      };
      await connection.request({ method: 'DELETE', path: objectPath(ref), body });
    },
    watch: (query, listener) => startWatch(deps, watchOptions, { query, listener }),
    apply: async (object, manager) =>
      change(kindOf(object), {
        method: 'PATCH',
        path: objectPath(refOf(object)),
        query: { fieldManager: manager, force: true },
        body: object,
        // JSON is YAML, and the API server knows this patch by no other name.
        contentType: 'application/apply-patch+yaml',
      }),
    replaceStatus: async (object) =>
      change(kindOf(object), {
        method: 'PUT',
        path: objectPath(refOf(object), 'status'),
        query: { fieldManager },
        body: object,
      }),
  };
}

function kindOf({ apiVersion, kind }: KubeObject): Kind {
  const known = findKind(apiVersion, kind);
  if (known === undefined)
    throw new SlessError('Invalid', `sless knows no kind "${kind}" of "${apiVersion}"`);
  return known;
}

function refOf(object: KubeObject): ObjectRef {
  const { name, namespace } = object.metadata;
  return { kind: kindOf(object), name, ...(namespace === undefined ? {} : { namespace }) };
}

function objectIn(answer: unknown, { method, path }: ApiRequest): KubeObject {
  if (typeof answer === 'object' && answer !== null && 'metadata' in answer) return answer as KubeObject;
  throw new SlessError('Unavailable', `${method} ${path}: the answer is no object`);
}
