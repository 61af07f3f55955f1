import { expect, test } from 'vitest';
import { startLoad } from '../load.ts';
import { declareFunction, type ServedFunction, said } from './served-function.ts';
import type { Stage } from './stage.ts';

/** ResourceQuotas that refuse what a function needs. */
export function quotas(stage: Stage): void {
  const impose = (namespace: string, hard: Readonly<Record<string, string>>) =>
    stage.admin.apply({
      apiVersion: 'v1',
      kind: 'ResourceQuota',
      metadata: { name: 'tight', namespace },
      spec: { hard },
    });
  const lift = (namespace: string) => stage.admin.run(['delete', 'resourcequota', 'tight', '-n', namespace]);
  const refused = ({ until }: ServedFunction) =>
    until('the reason', ({ conditions }) =>
      conditions.some(({ type, reason }) => type === 'Ready' && reason === 'ChildNotApplied'),
    );

  /** `kubectl wait` and Flux go on waiting, for it goes on by itself once there is room. */
  const waits = (phase: string, conditions: readonly { readonly type: string }[]) => {
    expect(phase).toBe('Building');
    const types = conditions.map(({ type }) => type);
    expect(types).toContain('Reconciling');
    expect(types).not.toContain('Stalled');
  };

  test('a refused build Job is named within about a minute, and made when the quota goes', async () => {
    const fn = await declareFunction(stage);
    await impose(fn.namespace, { 'count/jobs.batch': '0' });
    const key = await fn.upload('late');
    const { message, phase, conditions } = await refused(fn);
    expect(message).toMatch(/Job hello-\S+ could not be made/);
    waits(phase, conditions);
    await lift(fn.namespace);
    await fn.ready(key);
    await fn.answers(200, said('late'));
    expect(fn.jobs.all()).toHaveLength(1);
  });

  test('refused pods of a build are told, and the build runs when the quota goes', async () => {
    const fn = await declareFunction(stage);
    await impose(fn.namespace, { pods: '0' });
    const key = await fn.upload('late');
    const { message, phase, conditions } = await refused(fn);
    waits(phase, conditions);
    expect(message).toMatch(/Job hello-\S+ has no pod: .*quota/);
    await lift(fn.namespace);
    await fn.ready(key);
    await fn.answers(200, said('late'));
    expect(fn.jobs.all()).toHaveLength(1);
  });

  test('refused pods of a rollout are told while the old ones serve, and come when the quota goes', async () => {
    const fn = await declareFunction(stage);
    const key = await fn.serve('steady');
    await impose(fn.namespace, { pods: '1' });
    const load = startLoad(fn.url);
    await fn.tenant.call('POST', `/functions/${fn.name}/restart`);
    const { message } = await refused(fn);
    expect(message).toContain('exceeded quota');
    await lift(fn.namespace);
    await fn.ready(key);
    expect((await load.stop()).failed).toEqual([]);
  });
}
