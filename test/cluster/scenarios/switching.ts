import { expect, test } from 'vitest';
import { KINDS } from '../../../src/resources/kube/kinds.ts';
import { startLoad } from '../load.ts';
import { waitFor } from '../wait-for.ts';
import { declareFunction, type ServedFunction, said } from './served-function.ts';
import type { Stage } from './stage.ts';

/** Stop and start. */
export function switching(stage: Stage): void {
  const deployment = async ({ namespace, name }: ServedFunction) => {
    const found = await stage.real.cluster.get({ kind: KINDS.Deployment, namespace, name });
    return { uid: found?.metadata.uid, ...(found?.spec as { readonly replicas: number }) };
  };
  const replicas = (fn: ServedFunction, wanted: number) =>
    waitFor({
      for: `${fn.namespace} with ${wanted} replicas`,
      timeoutMs: 60_000,
      look: () => deployment(fn),
      holds: (found) => found.replicas === wanted,
    });
  const isStopped = (fn: ServedFunction) =>
    fn.until('Stopped', ({ conditions }) => conditions.some(({ reason }) => reason === 'Stopped'));

  test('its only Trigger stops it in place, and starts it again', async () => {
    const fn = await declareFunction(stage);
    await fn.serve('on');
    const { uid } = await deployment(fn);
    await fn.tenant.call('PATCH', `/triggers/${fn.name}`, { enabled: false });
    await replicas(fn, 0);
    await fn.answers(404);
    expect(await isStopped(fn)).toMatchObject({ phase: 'Ready' });
    await fn.tenant.call('PATCH', `/triggers/${fn.name}`, { enabled: true });
    // The pods that end still take calls for some seconds, so an answer alone would prove nothing.
    expect((await replicas(fn, 1)).uid).toBe(uid);
    await fn.answers(200, said('on'));
    expect(fn.jobs.all()).toHaveLength(1);
  });

  test('scaled by hand while it is stopped it stays stopped; its Trigger, enabled by another tool, wakes as many as it then wants', async () => {
    const fn = await declareFunction(stage);
    await fn.serve('on');
    const { uid } = await deployment(fn);
    const kubectl = (...words: readonly string[]) => stage.admin.run([...words, '-n', fn.namespace]);
    const patch = (kind: string, spec: object) =>
      kubectl('patch', kind, fn.name, '--type=merge', '-p', JSON.stringify({ spec }));
    await patch('triggers.sless.dev', { enabled: false });
    await replicas(fn, 0);
    await isStopped(fn);
    await kubectl('scale', `deployment/${fn.name}`, '--replicas=3');
    await replicas(fn, 0);
    await patch('functions.sless.dev', { replicas: 2 });
    await fn.until('replicas seen', ({ phase, conditions }) => {
      const stopped = conditions.some(({ reason }) => reason === 'Stopped');
      return phase === 'Ready' && stopped;
    });
    expect(await deployment(fn)).toMatchObject({ uid, replicas: 0 });
    await fn.answers(404);
    await patch('triggers.sless.dev', { enabled: true });
    expect((await replicas(fn, 2)).uid).toBe(uid);
    await fn.answers(200, said('on'));
    await fn.until('Ready with two', ({ phase, ready_replicas: ready }) => phase === 'Ready' && ready === 2);
    expect(fn.jobs.all()).toHaveLength(1);
  });

  test('a call that a function has begun survives that it is stopped, and so does every other one that was accepted', async () => {
    const fn = await declareFunction(stage);
    await fn.serve('on');
    const load = startLoad(fn.url);
    await waitFor({ for: 'calls', look: load.report, holds: ({ calls }) => calls > 50 });
    await fn.tenant.call('PATCH', `/functions/${fn.name}`, { replicas: 0 });
    await isStopped(fn);
    await fn.answers(503);
    const { failed, answers } = await load.stop();
    expect(answers).toEqual([said('on')]);
    // Refused before anybody began with them, by the proxy, and in no other way.
    expect(failed.filter((line) => !/^\d+: 503 .*FunctionStopped/.test(line))).toEqual([]);
    expect(failed.length).toBeGreaterThan(0);
  });

  test('without pods, an enabled Trigger answers 503 and says when to come again', async () => {
    const fn = await declareFunction(stage);
    await fn.serve('on');
    await fn.tenant.call('PATCH', `/functions/${fn.name}`, { replicas: 0 });
    const answer = await fn.answers(503);
    expect(answer.headers.get('retry-after')).toMatch(/^\d+$/);
    await isStopped(fn);
    await fn.tenant.call('PATCH', `/functions/${fn.name}`, { replicas: 1 });
    await fn.answers(200, said('on'));
  });
}
