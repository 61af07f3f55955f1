import { expect, test } from 'vitest';
import { KINDS } from '../../../src/resources/kube/kinds.ts';
import { configMap, listAll, refTo, refusal, type Scene } from './subject.ts';

/** Lists: order, labels, pages. */
export function listingContract(scene: () => Scene): void {
  const query = () => ({ kind: KINDS.ConfigMap, namespace: scene().namespace, labels: { of: 'test' } });
  const make = (name: string, labels: object = { of: 'test' }) =>
    scene().cluster.create(configMap(scene(), name, { metadata: { labels } }));
  const names = async (limit?: number) =>
    (await listAll(scene().cluster, query(), limit)).map((object) => object.metadata.name);

  test('objects come in the order of their names, one page after another', async () => {
    for (const name of ['b', 'a-1', 'c', 'a', 'a.b']) await make(name);
    const ordered = ['a', 'a-1', 'a.b', 'b', 'c'];
    expect(await names()).toEqual(ordered);
    expect(await names(2)).toEqual(ordered);
    const page = await scene().cluster.list(query(), { limit: 2 });
    expect(page.items.map((object) => object.metadata.name)).toEqual(['a', 'a-1']);
    // With a limit of five the next page may be an empty one: a server counts what it had to look at.
    expect(await scene().cluster.list(query(), { limit: 100 })).not.toHaveProperty('next');
  });

  test('only objects with all of the labels are listed', async () => {
    await make('both', { of: 'test', more: 'yes' });
    await make('one', { of: 'test' });
    await make('other', { of: 'another', more: 'yes' });
    const labels = { of: 'test', more: 'yes' };
    const found = await listAll(scene().cluster, { ...query(), labels });
    expect(found.map((object) => object.metadata.name)).toEqual(['both']);
    expect(found[0]).toMatchObject({ apiVersion: 'v1', kind: 'ConfigMap' });
  });

  test('by a name, that object alone is listed', async () => {
    const { cluster } = scene();
    await make('a');
    await make('a-1');
    const named = async (name: string) =>
      (await cluster.list({ ...query(), name })).items.map((object) => object.metadata.name);
    expect(await named('a')).toEqual(['a']);
    expect(await named('b')).toEqual([]);
    expect((await cluster.list({ ...query(), name: 'a', labels: { of: 'nobody' } })).items).toEqual([]);
  });

  test('without a namespace, objects of all namespaces are listed', async () => {
    const { cluster, namespace } = scene();
    const unique = { of: namespace };
    await make('a', unique);
    const found = await listAll(cluster, { kind: KINDS.ConfigMap, labels: unique });
    expect(found.map((object) => object.metadata.namespace)).toEqual([namespace]);
  });

  test('while objects come and go, pages hold each that stayed exactly once', async () => {
    const { cluster } = scene();
    for (const name of ['b', 'd', 'f', 'h']) await make(name);
    const first = await cluster.list(query(), { limit: 2 });
    await make('a');
    await make('e');
    await cluster.delete(refTo(KINDS.ConfigMap, configMap(scene(), 'b')));
    const rest = await cluster.list(query(), { limit: 100, cursor: first.next ?? '' });
    const all = [...first.items, ...rest.items].map((object) => object.metadata.name);
    expect(all.filter((name) => ['d', 'f', 'h'].includes(name))).toEqual(['d', 'f', 'h']);
    expect(new Set(all).size).toBe(all.length);
    expect(all).toEqual([...all].sort());
  });

  test('a cursor that no list has answered is Invalid or Gone', async () => {
    const error = await scene()
      .cluster.list(query(), { limit: 1, cursor: 'nonsense' })
      .catch((reason: unknown) => reason);
    await refusal((error as { code?: string }).code === 'Gone' ? 'Gone' : 'Invalid', Promise.reject(error));
  });
}
