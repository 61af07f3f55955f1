import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ClusterEvent } from '../../ports/cluster.ts';
import { KINDS } from '../../resources/kube/kinds.ts';
import type { KubeObject } from '../../resources/kube/object.ts';
import { type CacheChange, createObjectCache } from './object-cache.ts';
import { selects } from './selector.ts';

const open = () => {
  let tell: (event: ClusterEvent) => void = () => undefined;
  const cluster = {
    watch: (_: unknown, listener: (event: ClusterEvent) => void) => {
      tell = listener;
      return { close: () => undefined };
    },
  };
  const cache = createObjectCache({ cluster, gate: (_, deliver) => deliver() }, KINDS.ConfigMap);
  return { cache, tell: (event: ClusterEvent) => tell(event) };
};

let version = 0;
const object = (
  name: string,
  more: { namespace?: string; labels?: Record<string, string>; owner?: string } = {},
) => {
  version += 1;
  const { namespace = 'ns', labels, owner } = more;
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {
      name,
      namespace,
      resourceVersion: String(version),
      ...(labels ? { labels } : {}),
      ...(owner
        ? { ownerReferences: [{ apiVersion: 'v1', kind: 'X', name: 'x', uid: owner, controller: true }] }
        : {}),
    },
  } as KubeObject;
};

test('changes come with what was before, and the same again is none', () => {
  const { cache, tell } = open();
  const changes: CacheChange[] = [];
  cache.onChange((change) => changes.push(change));
  const [a1, a2, b] = [object('a'), object('a'), object('b')];
  tell({ type: 'synced', objects: [a1] });
  tell({ type: 'applied', object: a2 });
  tell({ type: 'applied', object: b });
  tell({ type: 'lost', error: new Error('gone') });
  tell({ type: 'synced', objects: [a2] });
  tell({ type: 'deleted', object: a2 });
  expect(changes).toEqual([
    { after: a1 },
    { before: a1, after: a2 },
    { after: b },
    { before: b },
    { before: a2 },
  ]);
});

test('it is ready once everything was told', async () => {
  const { cache, tell } = open();
  expect(cache.synced()).toBe(false);
  tell({ type: 'synced', objects: [] });
  await cache.ready;
  expect(cache.synced()).toBe(true);
});

const label = fc.dictionary(fc.constantFrom('x', 'y'), fc.constantFrom('1', '2'), { maxKeys: 2 });
const event = fc.record({
  name: fc.constantFrom('a', 'b', 'c', 'd'),
  namespace: fc.constantFrom('n1', 'n2'),
  labels: label,
  owner: fc.constantFrom('u1', 'u2'),
  gone: fc.boolean(),
});

test('whatever happened, an index finds what a walk over everything finds', () => {
  fc.assert(
    fc.property(fc.array(event, { maxLength: 40 }), label, (events, matchLabels) => {
      const { cache, tell } = open();
      const all = new Map<string, KubeObject>();
      for (const { name, gone, ...more } of events) {
        const made = object(name, more);
        tell({ type: gone ? 'deleted' : 'applied', object: made });
        all.set(`${more.namespace}/${name}`, made);
        if (gone) all.delete(`${more.namespace}/${name}`);
      }
      const names = (found: Iterable<KubeObject>) =>
        [...found].map(({ metadata }) => `${metadata.namespace}/${metadata.name}`).sort();
      const walk = (wanted: (one: KubeObject) => boolean) => names([...all.values()].filter(wanted));
      const selector = { matchLabels };
      expect(names(cache.find({ selector }))).toEqual(
        walk(({ metadata }) => selects(selector, metadata.labels)),
      );
      expect(names(cache.find({ namespace: 'n1', selector }))).toEqual(
        walk(({ metadata }) => metadata.namespace === 'n1' && selects(selector, metadata.labels)),
      );
      expect(names(cache.find({ namespace: 'n2', names: ['a', 'd'] }))).toEqual(
        walk(({ metadata }) => metadata.namespace === 'n2' && ['a', 'd'].includes(metadata.name)),
      );
      expect(names(cache.controlledBy('u1'))).toEqual(
        walk(({ metadata }) => metadata.ownerReferences?.[0]?.uid === 'u1'),
      );
    }),
  );
});
