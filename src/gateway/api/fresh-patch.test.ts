import { expect, it } from 'vitest';
import { SlessError } from '../../errors.ts';
import type { Cluster } from '../../ports/cluster.ts';
import { KINDS } from '../../resources/kube/kinds.ts';
import type { KubeObject } from '../../resources/kube/object.ts';
import { patchFresh } from './fresh-patch.ts';

const ref = { kind: KINDS.Function, namespace: 'ns', name: 'f' };
const object = (resourceVersion: string, uid = 'u'): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Function',
  metadata: { name: 'f', uid, resourceVersion },
});

/** A cluster whose object was changed by somebody else before the first `conflicts` writes. */
function busyCluster(conflicts: number): { cluster: Cluster; written: unknown[] } {
  const written: unknown[] = [];
  let version = 1;
  const cluster = {
    get: async () => object(String(version)),
    patch: async (_: unknown, patch: unknown) => {
      version += 1;
      if (version <= conflicts + 1) throw new SlessError('Conflict', 'changed');
      written.push(patch);
      return object(String(version));
    },
  } as object as Cluster;
  return { cluster, written };
}

it('tries again after a conflict, from the object as it is then', async () => {
  const { cluster, written } = busyCluster(3);
  await patchFresh(
    { cluster, random: () => 0 },
    { ref, title: 'function "f"', change: () => ({ spec: { replicas: 2 } }) },
  );
  expect(written).toEqual([{ metadata: { resourceVersion: '4' }, spec: { replicas: 2 } }]);
});

it('gives up after ten conflicts in a row', async () => {
  const { cluster } = busyCluster(100);
  const patch = patchFresh(
    { cluster, random: () => 0 },
    { ref, title: 'function "f"', change: () => ({ spec: {} }) },
  );
  await expect(patch).rejects.toMatchObject({ code: 'Conflict' });
});

it('writes nothing where nothing changes', async () => {
  const { cluster, written } = busyCluster(0);
  const after = await patchFresh(
    { cluster, random: () => 0 },
    { ref, title: 'function "f"', change: () => undefined },
  );
  expect(after.metadata.resourceVersion).toBe('1');
  expect(written).toEqual([]);
});

it('does not write to another object of that name', async () => {
  const { cluster } = busyCluster(0);
  const patch = patchFresh(
    { cluster, random: () => 0 },
    { ref, title: 'function "f"', uid: 'other', change: () => ({}) },
  );
  await expect(patch).rejects.toMatchObject({ code: 'NotFound', message: 'there is no function "f"' });
});
