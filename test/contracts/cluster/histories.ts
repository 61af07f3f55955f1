import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isSlessError } from '../../../src/errors.ts';
import type { ClusterEvent } from '../../../src/ports/cluster.ts';
import { KINDS } from '../../../src/resources/kube/kinds.ts';
import type { KubeObject } from '../../../src/resources/kube/object.ts';
import { budget, timeLimit } from '../../fuzz/budget.ts';
import {
  eventually,
  functionObject,
  listAll,
  makeNamespace,
  record,
  refTo,
  type Scene,
  told,
} from './subject.ts';

const name = fc.constantFrom('a', 'b', 'c');
const replicas = fc.integer({ min: 0, max: 2 });
const operation = fc.oneof(
  fc.record({ do: fc.constant('create' as const), name, replicas }),
  fc.record({ do: fc.constant('apply' as const), name, replicas }),
  fc.record({ do: fc.constant('patch' as const), name, replicas }),
  fc.record({ do: fc.constant('label' as const), name, replicas }),
  fc.record({ do: fc.constant('status' as const), name, replicas }),
  fc.record({ do: fc.constant('finalizer' as const), name, replicas }),
  fc.record({ do: fc.constant('delete' as const), name, replicas }),
);
type Operation = typeof operation extends fc.Arbitrary<infer T> ? T : never;

async function play({ cluster, namespace }: Scene, step: Operation): Promise<unknown> {
  const object = functionObject({ cluster, namespace }, step.name, { replicas: step.replicas });
  const ref = refTo(KINDS.Function, object);
  const value = String(step.replicas);
  switch (step.do) {
    case 'create':
      return cluster.create(object);
    case 'apply':
      return cluster.apply(object, 'metacontroller');
    case 'patch':
      return cluster.patch(ref, { spec: { replicas: step.replicas } });
    case 'label':
      return cluster.patch(ref, { metadata: { labels: { value: step.replicas === 0 ? null : value } } });
    case 'status':
      return cluster.patch(ref, { status: { message: value } }, { subresource: 'status' });
    case 'finalizer':
      return cluster.patch(ref, {
        metadata: { finalizers: step.replicas === 0 ? null : ['sless.dev/test'] },
      });
    case 'delete':
      return cluster.delete(ref);
  }
}

const EXPECTED = ['NotFound', 'AlreadyExists', 'Invalid', 'Conflict'] as const;

/** Whatever is written, a watch tells a history that adds up to what a list answers. */
export function historiesContract(scene: () => Scene, runs: number): void {
  test('after any history, what a watch has told is what a list answers', {
    timeout: timeLimit(120_000),
  }, async () => {
    const histories = fc.array(fc.array(operation, { minLength: 1, maxLength: 3 }), {
      minLength: 1,
      maxLength: 15,
    });
    await fc.assert(
      fc.asyncProperty(histories, async (history) => {
        const { cluster } = scene();
        const own: Scene = { cluster, namespace: await makeNamespace(cluster) };
        const query = { kind: KINDS.Function, namespace: own.namespace };
        const watch = record(cluster, query);
        const labelled = record(cluster, { ...query, labels: { value: '1' } });
        // What stands in one group races.
        for (const group of history) await Promise.all(group.map((step) => play(own, step).catch(allow)));
        const listed = await listAll(cluster, query);
        await eventually(() => expect(byName(watch.known.values())).toEqual(listed));
        const chosen = listed.filter((object) => object.metadata.labels?.value === '1');
        await eventually(() => expect(byName(labelled.known.values())).toEqual(chosen));
        watch.close();
        labelled.close();
        for (const uid of uidsOf(watch.events)) checkHistory(watch.events, uid);
      }),
      budget(runs),
    );
  });
}

function allow(error: unknown): void {
  if (!EXPECTED.some((code) => isSlessError(error, code))) throw error;
}

const byName = (objects: Iterable<KubeObject>): KubeObject[] =>
  [...objects].sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));

const uidsOf = (events: readonly ClusterEvent[]): Set<string> =>
  new Set(events.flatMap((event) => ('object' in event ? (event.object.metadata.uid ?? '') : [])));

/** One object's life: versions only grow, each event is news, the generation counts specs, the end comes once. */
function checkHistory(events: readonly ClusterEvent[], uid: string): void {
  const own = events.flatMap((event) =>
    'object' in event && event.object.metadata.uid === uid ? [event] : [],
  );
  const versions = own.map((event) => Number(event.object.metadata.resourceVersion));
  for (const [index, version] of versions.entries())
    if (index > 0) expect(version).toBeGreaterThan(versions[index - 1]!);
  expect(told(own).filter((line) => line.startsWith('deleted')).length).toBeLessThanOrEqual(1);
  for (const [index, { object }] of own.entries()) {
    const before = own[index - 1]?.object;
    if (!before || own[index]!.type === 'deleted') continue;
    const specChanged = JSON.stringify(before.spec) !== JSON.stringify(object.spec);
    const ended = before.metadata.deletionTimestamp !== object.metadata.deletionTimestamp;
    const generations = (object.metadata.generation ?? 0) - (before.metadata.generation ?? 0);
    expect(generations).toBe((specChanged ? 1 : 0) + (ended ? 1 : 0));
  }
}
