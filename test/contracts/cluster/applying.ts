import { expect, test } from 'vitest';
import { UNSEEN_STATUS } from '../../../src/resources/definitions.ts';
import { KINDS } from '../../../src/resources/kube/kinds.ts';
import { configMap, refTo, refusal, type Scene } from './subject.ts';

const MANAGER = 'metacontroller';

/** Server-side apply. What it does to each field of each kind is compared with a recorded API server elsewhere. */
export function applyingContract(scene: () => Scene): void {
  const apply = (data: Readonly<Record<string, string>>, more: object = {}) =>
    scene().cluster.apply(configMap(scene(), 'a', { data, ...more }), MANAGER);

  test('an apply creates what is not there', async () => {
    const made = await apply({ a: '1' });
    expect(made.metadata.uid).toBeDefined();
    expect(await scene().cluster.get(refTo(KINDS.ConfigMap, made))).toEqual(made);
  });

  test('the same apply again changes nothing', async () => {
    const first = await apply({ a: '1' });
    const second = await apply({ a: '1' });
    expect(second.metadata.resourceVersion).toBe(first.metadata.resourceVersion);
  });

  test('a field that is dropped goes, a field of another stays', async () => {
    const made = await apply({ mine: '1', dropped: '1' });
    await scene().cluster.patch(refTo(KINDS.ConfigMap, made), {
      data: { foreign: '1' },
      metadata: { labels: { foreign: 'yes' } },
    });
    const after = await apply({ mine: '2' });
    expect(after.data).toEqual({ mine: '2', foreign: '1' });
    expect(after.metadata.labels).toEqual({ foreign: 'yes' });
    expect(after.metadata.uid).toBe(made.metadata.uid);
  });

  test('a field that another has changed is taken back, and stays when it is dropped while it is theirs', async () => {
    const made = await apply({ a: '1', b: '1' });
    const ref = refTo(KINDS.ConfigMap, made);
    await scene().cluster.patch(ref, { data: { a: '2', b: '2' } });
    expect((await apply({ a: '1' })).data).toEqual({ a: '1', b: '2' });
    expect((await apply({})).data).toEqual({ b: '2' });
  });

  test('an apply takes over an object that it did not make', async () => {
    const made = await scene().cluster.create(configMap(scene(), 'a', { data: { old: '1' } }));
    const taken = await apply({ new: '1' });
    expect(taken.metadata.uid).toBe(made.metadata.uid);
    expect(taken.data).toEqual({ old: '1', new: '1' });
  });

  test('two managers keep apart what each of them applies', async () => {
    await apply({ shared: '1', mine: '1' });
    await scene().cluster.apply(configMap(scene(), 'a', { data: { shared: '1', theirs: '1' } }), 'another');
    expect((await apply({})).data).toEqual({ shared: '1', theirs: '1' });
  });

  test('of two applies of one new name both end, over one object', async () => {
    const both = await Promise.all([apply({ a: '1' }), apply({ a: '1' })]);
    expect(new Set(both.map((object) => object.metadata.uid)).size).toBe(1);
  });

  test('an apply that would change what cannot change is Invalid and changes nothing', async () => {
    const { namespace, cluster } = scene();
    const service = (clusterIP: string) => ({
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 's', namespace },
      spec: { clusterIP, ports: [{ port: 80 }] },
    });
    const made = await cluster.apply(service('None'), MANAGER);
    await refusal('Invalid', cluster.apply(service('10.96.77.77'), MANAGER));
    expect(await cluster.get(refTo(KINDS.Service, made))).toEqual(made);
  });

  test('a status in an apply is left aside', async () => {
    const { namespace, cluster } = scene();
    const made = await cluster.apply(
      {
        apiVersion: KINDS.Trigger.apiVersion,
        kind: 'Trigger',
        metadata: { name: 't', namespace },
        spec: { type: 'http', functionRef: 'f' },
        status: { active: true },
      },
      MANAGER,
    );
    expect(made.status).toEqual(UNSEEN_STATUS);
  });
}
