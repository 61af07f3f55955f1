import { expect, test } from 'vitest';
import { KINDS } from '../../../src/resources/kube/kinds.ts';
import { startLoad } from '../load.ts';
import { waitFor } from '../wait-for.ts';
import { declareFunction, type ServedFunction, said } from './served-function.ts';
import type { Stage } from './stage.ts';

/** What a user does with versions that are there already. */
export function versions(stage: Stage): void {
  const podsOf = async ({ namespace, name }: ServedFunction): Promise<string[]> => {
    const labels = { 'sless.dev/function': name, 'sless.dev/component': 'server' };
    const { items } = await stage.real.cluster.list({ kind: KINDS.Pod, namespace, labels });
    return items.map(({ metadata }) => metadata.uid ?? '');
  };

  test('a rollback builds nothing, and code that was built before is not built again', async () => {
    const fn = await declareFunction(stage);
    const first = await fn.serve('first');
    const second = await fn.serve('second');
    const load = startLoad(fn.url);
    await fn.tenant.call('POST', `/functions/${fn.name}/rollback`, { s3_key: first });
    await fn.ready(first);
    await fn.answers(200, said('first'));
    expect(await fn.upload('second')).toBe(second);
    await fn.ready(second);
    await fn.answers(200, said('second'));
    expect((await load.stop()).failed).toEqual([]);
    expect(fn.jobs.all()).toHaveLength(2);
  });

  test('a rebuild is one more build of the same code; a restart is new pods and no build', async () => {
    const fn = await declareFunction(stage);
    const key = await fn.serve('same');
    const { last_built_at: builtAt } = await fn.shown();
    const load = startLoad(fn.url);
    await fn.tenant.call('POST', `/functions/${fn.name}/rebuild`);
    await fn.until('built again', ({ phase, last_built_at: at }) => phase === 'Ready' && at !== builtAt);
    expect(fn.jobs.all()).toHaveLength(2);
    const before = await podsOf(fn);
    await fn.tenant.call('POST', `/functions/${fn.name}/restart`);
    await waitFor({
      for: 'pods that were not there before, and only such',
      timeoutMs: 120_000,
      look: () => podsOf(fn),
      holds: (now) => now.length > 0 && now.every((uid) => !before.includes(uid)),
    });
    await fn.ready(key);
    expect((await load.stop()).failed).toEqual([]);
    expect(fn.jobs.all()).toHaveLength(2);
  });
}
