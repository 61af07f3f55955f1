import { expect, test } from 'vitest';
import { KINDS } from '../../../src/resources/kube/kinds.ts';
import type { KubeObject, OwnerReference } from '../../../src/resources/kube/object.ts';
import { configMap, eventually, NAMESPACES, refTo, type Scene } from './subject.ts';

/** A garbage collector that has never met a kind looks at it within half a minute. */
const SLOW = 60_000;

const ownedBy = ({ apiVersion, kind, metadata: { name, uid = '' } }: KubeObject): OwnerReference => ({
  apiVersion,
  kind,
  name,
  uid,
});

/** What is deleted in the background. */
export function collectingContract(scene: () => Scene): void {
  const make = (name: string, owners: readonly OwnerReference[] = []) =>
    scene().cluster.create(configMap(scene(), name, { metadata: { ownerReferences: owners } }));
  const gone = (object: KubeObject) =>
    eventually(
      async () => expect(await scene().cluster.get(refTo(KINDS.ConfigMap, object))).toBeUndefined(),
      SLOW,
    );

  test('children and their children go with their owner, others stay', { timeout: SLOW }, async () => {
    const owner = await make('owner');
    const child = await make('child', [ownedBy(owner)]);
    const grandchild = await make('grandchild', [ownedBy(child)]);
    const stranger = await make('stranger');
    await scene().cluster.delete(refTo(KINDS.ConfigMap, owner));
    await gone(child);
    await gone(grandchild);
    expect(await scene().cluster.get(refTo(KINDS.ConfigMap, stranger))).toEqual(stranger);
  });

  test('a child of an owner that is gone already goes, though a namesake is there', {
    timeout: SLOW,
  }, async () => {
    const first = await make('owner');
    await scene().cluster.delete(refTo(KINDS.ConfigMap, first));
    const second = await make('owner');
    const orphan = await make('orphan', [ownedBy(first)]);
    const child = await make('child', [ownedBy(second)]);
    await gone(orphan);
    expect(await scene().cluster.get(refTo(KINDS.ConfigMap, child))).toEqual(child);
  });

  test('a child of two stays with the one that is left', { timeout: SLOW }, async () => {
    const [one, two] = [await make('one'), await make('two')];
    const child = await make('child', [ownedBy(one), ownedBy(two)]);
    await scene().cluster.delete(refTo(KINDS.ConfigMap, one));
    const left = async () =>
      (await scene().cluster.get(refTo(KINDS.ConfigMap, child)))?.metadata.ownerReferences?.map(
        ({ name }) => name,
      );
    await eventually(async () => expect(await left()).toEqual(['two']), SLOW);
    await scene().cluster.delete(refTo(KINDS.ConfigMap, two));
    await gone(child);
  });

  test('a namespace goes with everything in it', { timeout: SLOW }, async () => {
    const { cluster, namespace } = scene();
    const object = await make('a');
    await cluster.delete({ kind: NAMESPACES, name: namespace });
    await gone(object);
    await eventually(
      async () => expect(await cluster.get({ kind: NAMESPACES, name: namespace })).toBeUndefined(),
      SLOW,
    );
  });
}
