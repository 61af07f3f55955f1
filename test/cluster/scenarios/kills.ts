import { expect, test } from 'vitest';
import { KINDS } from '../../../src/resources/kube/kinds.ts';
import { startLoad } from '../load.ts';
import { waitFor } from '../wait-for.ts';
import { isOver, runJobs, tellingFunction, untilJob } from './runs.ts';
import { declareFunction, said } from './served-function.ts';
import type { Stage } from './stage.ts';

/** Answers after as many seconds as the query says. */
const SLOW = {
  'handler.py':
    'import time\ndef handle(event):\n    time.sleep(float(event["seconds"]))\n    return "awake"\n',
};

/** `kill -9` of whatever there is, at the worst of times. Everything converges; nothing is built twice. */
export function kills(stage: Stage): void {
  const parts = ['operator', 'driver', 'api'] as const;

  test.each(parts)('the %s, while a build runs', async (part) => {
    const fn = await declareFunction(stage);
    const key = await fn.upload('built');
    await waitFor({ for: 'the build Job', look: () => fn.jobs.all(), holds: (jobs) => jobs.length > 0 });
    await stage.sless()[part].kill();
    await stage.sless()[part].revive();
    await fn.ready(key);
    await fn.answers(200, said('built'));
    expect(fn.jobs.all()).toHaveLength(1);
  });

  test.each(parts)('the %s, while a run goes on: it comes to its end, once', async (part) => {
    const fn = await tellingFunction(stage);
    const event_json = '{"seconds":4}';
    await fn.tenant.call('POST', '/jobs', { name: 'j', function: 'hello', event_json, run_id: 1 });
    await waitFor({ for: 'the Job of the run', look: () => runJobs(fn), holds: (jobs) => jobs.length > 0 });
    await stage.sless()[part].kill();
    await stage.sless()[part].revive();
    expect(await untilJob(fn.tenant, 'j', isOver)).toMatchObject({ phase: 'Succeeded', attempts: 1 });
    expect(runJobs(fn)).toHaveLength(1);
  });

  test('operator, driver and api at once, while a rollout runs under load', async () => {
    const fn = await declareFunction(stage);
    await fn.serve('before');
    const { namespace, name } = fn;
    const generation = async () =>
      (await stage.real.cluster.get({ kind: KINDS.Deployment, namespace, name }))?.metadata.generation ?? 0;
    const old = await generation();
    const load = startLoad(fn.url);
    const key = await fn.upload('after');
    await waitFor({ for: 'the rollout', timeoutMs: 120_000, look: generation, holds: (now) => now > old });
    await Promise.all(parts.map((part) => stage.sless()[part].kill()));
    for (const part of parts) await stage.sless()[part].revive();
    await fn.ready(key);
    await fn.answers(200, said('after'));
    expect((await load.stop()).failed).toEqual([]);
    expect(fn.jobs.all()).toHaveLength(2);
  });

  test('one of two proxies, in the midst of calls: only its own connections are lost', async () => {
    const fn = await declareFunction(stage);
    const key = await fn.tenant.upload(fn.name, SLOW);
    await fn.ready(key);
    const path = `/fn/${fn.namespace}/${fn.name}?seconds=`;
    const killed = await stage.sless().addProxy();
    const slow = (url: string) => fetch(`${url}${path}3`).then((answer) => answer.status);
    const load = startLoad(`${stage.sless().proxy.url}${path}0`);
    await waitFor({
      for: 'calls by the new proxy',
      look: async () => (await fetch(`${killed.url}${path}0`)).status,
      holds: (status) => status === 200,
    });
    const [lost, kept] = [killed.url, stage.sless().proxy.url].map((url) => slow(url));
    const lostly = expect(lost).rejects.toThrow();
    const { calls } = load.report();
    await waitFor({
      for: 'more calls, so that the slow ones are under way',
      look: () => load.report().calls,
      holds: (now) => now > calls + 25,
    });
    await killed.kill();
    await lostly;
    expect(await kept).toBe(200);
    await killed.revive();
    expect(await slow(killed.url)).toBe(200);
    expect((await load.stop()).failed).toEqual([]);
  });
}
