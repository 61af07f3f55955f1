import { expect, test } from 'vitest';
import { KINDS } from '../../../src/resources/kube/kinds.ts';
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
