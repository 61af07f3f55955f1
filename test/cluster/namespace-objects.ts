import { expect } from 'vitest';
import type { Kind } from '../../src/resources/kube/kinds.ts';
import type { KubeObject } from '../../src/resources/kube/object.ts';
import type { ApiServer } from './api-server.ts';

const MERGE = 'application/merge-patch+json';

/** The objects of one namespace, by kind and name. Every call fails the test when the server refuses it. */
export interface NamespaceObjects {
  call(method: string, path: string, body?: unknown, type?: string): Promise<KubeObject>;
  pathOf(kind: Kind, name: string): string;
  get(kind: Kind, name: string): Promise<KubeObject>;
  list(kind: Kind): Promise<readonly KubeObject[]>;
  create(kind: Kind, name: string, spec: object): Promise<KubeObject>;
  patch(kind: Kind, name: string, body: object): Promise<KubeObject>;
  patchStatus(kind: Kind, name: string, status: object): Promise<KubeObject>;
}

export function namespaceObjects(server: ApiServer | undefined, namespace: string): NamespaceObjects {
  const root = ({ apiVersion }: Kind) => (apiVersion === 'v1' ? '/api/v1' : `/apis/${apiVersion}`);
  const collection = (kind: Kind) => `${root(kind)}/namespaces/${namespace}/${kind.plural}`;
  const pathOf = (kind: Kind, name: string) => `${collection(kind)}/${name}`;
  const call: NamespaceObjects['call'] = async (method, path, body, type) => {
    if (server === undefined) throw new Error('no API server');
    const answer = await server.call(method, path, body, type);
    expect(answer.status, `${method} ${path}: ${answer.body.message}`).toBeLessThan(300);
    return answer.body as unknown as KubeObject;
  };
  return {
    call,
    pathOf,
    get: (kind, name) => call('GET', pathOf(kind, name)),
    list: async (kind) => (await call('GET', collection(kind))).items as readonly KubeObject[],
    create: (kind, name, spec) => {
      const { apiVersion, kind: of } = kind;
      return call('POST', collection(kind), { apiVersion, kind: of, metadata: { name }, spec });
    },
    patch: (kind, name, body) => call('PATCH', pathOf(kind, name), body, MERGE),
    patchStatus: (kind, name, status) => call('PATCH', `${pathOf(kind, name)}/status`, { status }, MERGE),
  };
}
