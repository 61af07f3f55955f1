import { expect, test } from 'vitest';
import { KINDS } from '../../../src/resources/kube/kinds.ts';
import {
  configMap,
  eventually,
  functionObject,
  record,
  refTo,
  type Scene,
  told,
  untilTold,
} from './subject.ts';

/** Watches: everything first, then each change in order, nothing twice, nothing after the end. */
export function watchingContract(scene: () => Scene): void {
  const query = () => ({ kind: KINDS.ConfigMap, namespace: scene().namespace, labels: { of: 'test' } });
  const labelled = (name: string, labels: object = { of: 'test' }) =>
    configMap(scene(), name, { metadata: { labels } });

  test('what is there comes first, then each change in the order of the writes', async () => {
    const { cluster } = scene();
    await cluster.create(labelled('a'));
    const watch = record(cluster, query());
    await eventually(() => expect(told(watch.events)).toEqual(['synced (a)']));
    const b = await cluster.create(labelled('b'));
    await cluster.patch(refTo(KINDS.ConfigMap, b), { data: { n: '1' } });
    await cluster.patch(refTo(KINDS.ConfigMap, b), { data: { n: '2' } });
    await cluster.delete(refTo(KINDS.ConfigMap, b));
    const changes = ['synced (a)', 'applied b', 'applied b', 'applied b', 'deleted b'];
    await eventually(() => expect(told(watch.events)).toEqual(changes));
    watch.close();
  });

  test('an object is told as it was written, with its kind', async () => {
    const { cluster } = scene();
    const watch = record(cluster, query());
    await eventually(() => expect(watch.events).toHaveLength(1));
    const made = await cluster.create(labelled('a'));
    await eventually(() => expect(watch.known.get(made.metadata.uid ?? '')).toEqual(made));
    watch.close();
  });

  test('an object that loses the label is deleted to who watches the label, and applied when it is back', async () => {
    const { cluster } = scene();
    const watch = record(cluster, query());
    await eventually(() => expect(told(watch.events)).toEqual(['synced ()']));
    const ref = refTo(KINDS.ConfigMap, await cluster.create(labelled('a', { of: 'nobody' })));
    await cluster.patch(ref, { metadata: { labels: { of: 'test' } } });
    await cluster.patch(ref, { metadata: { labels: { of: null } } });
    await cluster.patch(ref, { metadata: { labels: { of: 'test' } } });
    const changes = ['synced ()', 'applied a', 'deleted a', 'applied a'];
    await eventually(() => expect(told(watch.events)).toEqual(changes));
    watch.close();
  });

  test('by a name, that object alone is told of', async () => {
    const { cluster, namespace } = scene();
    await cluster.create(labelled('a'));
    const watch = record(cluster, { kind: KINDS.ConfigMap, namespace, name: 'b' });
    await eventually(() => expect(told(watch.events)).toEqual(['synced ()']));
    await cluster.create(labelled('b-1'));
    const b = refTo(KINDS.ConfigMap, await cluster.create(labelled('b')));
    await cluster.patch(refTo(KINDS.ConfigMap, labelled('a')), { data: { n: '1' } });
    await cluster.delete(b);
    await eventually(() => expect(told(watch.events)).toEqual(['synced ()', 'applied b', 'deleted b']));
    watch.close();
  });

  test('a write that changes nothing is not told', async () => {
    const { cluster, namespace } = scene();
    const watch = record(cluster, { kind: KINDS.Function, namespace });
    await eventually(() => expect(watch.events).toHaveLength(1));
    const made = await cluster.create(functionObject(scene(), 'f'));
    // The one that writes down the default of its status.
    await cluster.patch(refTo(KINDS.Function, made), {});
    await cluster.patch(refTo(KINDS.Function, made), { spec: { replicas: 1 } });
    await cluster.patch(refTo(KINDS.Function, made), { status: { phase: 'Ready' } });
    await cluster.create(functionObject(scene(), 'last'));
    await eventually(() => expect(told(watch.events).at(-1)).toBe('applied last'));
    expect(told(watch.events).filter((event) => event.endsWith(' f'))).toEqual(['applied f', 'applied f']);
    watch.close();
  });

  test('a deletion that waits for finalizers is an applied, then a deleted', async () => {
    const { cluster } = scene();
    const watch = record(cluster, query());
    await eventually(() => expect(watch.events).toHaveLength(1));
    const made = await cluster.create(
      configMap(scene(), 'a', { metadata: { labels: { of: 'test' }, finalizers: ['sless.dev/test'] } }),
    );
    await cluster.delete(refTo(KINDS.ConfigMap, made));
    await cluster.patch(refTo(KINDS.ConfigMap, made), { metadata: { finalizers: null } });
    await eventually(() => expect(told(watch.events).at(-1)).toBe('deleted a'));
    expect(told(watch.events)).toEqual(['synced ()', 'applied a', 'applied a', 'deleted a']);
    watch.close();
  });

  test('the listener is called once the watch is returned, and never twice at once', async () => {
    const { cluster, namespace } = scene();
    let returned = false;
    let inside = 0;
    const overlaps: number[] = [];
    const early: boolean[] = [];
    const watch = cluster.watch({ kind: KINDS.ConfigMap, namespace }, () => {
      early.push(!returned);
      overlaps.push(inside);
      inside += 1;
      void cluster.get({ kind: KINDS.ConfigMap, namespace, name: 'a' });
      inside -= 1;
    });
    returned = true;
    await eventually(() => expect(overlaps).toHaveLength(1));
    await Promise.all(['a', 'b', 'c'].map((name) => cluster.create(configMap(scene(), name))));
    await eventually(() => expect(overlaps.length).toBeGreaterThan(1));
    expect(early).not.toContain(true);
    expect(overlaps.every((count) => count === 0)).toBe(true);
    watch.close();
  });

  test('a closed watch is silent, and closing it again is fine', async () => {
    const { cluster, namespace } = scene();
    const closed = record(cluster, { kind: KINDS.ConfigMap, namespace });
    const other = record(cluster, { kind: KINDS.ConfigMap, namespace });
    await eventually(() => expect(closed.events).toHaveLength(1));
    closed.close();
    closed.close();
    await untilTold(scene(), other);
    expect(closed.events).toHaveLength(1);
    other.close();
  });

  test('a watch may be closed from its own listener', async () => {
    const { cluster, namespace } = scene();
    const types: string[] = [];
    const other = record(cluster, { kind: KINDS.ConfigMap, namespace });
    const watch = cluster.watch({ kind: KINDS.ConfigMap, namespace }, (event) => {
      types.push(event.type);
      if (event.type === 'applied') watch.close();
    });
    await eventually(() => expect(types).toEqual(['synced']));
    await Promise.all(['a', 'b', 'c'].map((name) => cluster.create(configMap(scene(), name))));
    await untilTold(scene(), other);
    expect(types).toEqual(['synced', 'applied']);
    other.close();
  });

  test('a listener that fails hurts neither the others nor what it is told next', async () => {
    const { cluster, namespace } = scene();
    const types: string[] = [];
    const watch = cluster.watch({ kind: KINDS.ConfigMap, namespace }, (event) => {
      types.push(event.type);
      throw new Error('a fault of the listener');
    });
    await eventually(() => expect(types).toEqual(['synced']));
    await cluster.create(configMap(scene(), 'a'));
    await eventually(() => expect(types).toEqual(['synced', 'applied']));
    watch.close();
  });

  test('after a break everything is told anew, and what is missing in it is gone', async ({ skip }) => {
    const { cluster, interruptWatches } = scene();
    if (!interruptWatches) return skip('this adapter offers no way to break its watches');
    const a = await cluster.create(labelled('a'));
    const watch = record(cluster, query());
    await eventually(() => expect(told(watch.events)).toEqual(['synced (a)']));
    const resume = interruptWatches();
    await eventually(() => expect(told(watch.events).at(-1)).toBe('lost'));
    await cluster.delete(refTo(KINDS.ConfigMap, a));
    const b = await cluster.create(labelled('b'));
    resume();
    await eventually(() => expect(told(watch.events)).toEqual(['synced (a)', 'lost', 'synced (b)']));
    await cluster.delete(refTo(KINDS.ConfigMap, b));
    await eventually(() => expect(told(watch.events).at(-1)).toBe('deleted b'));
    watch.close();
  });
}
