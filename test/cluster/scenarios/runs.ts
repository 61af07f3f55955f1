import { expect, test } from 'vitest';
import type { FunctionJobStatus } from '../../../src/resources/function-job/schema.ts';
import { KINDS } from '../../../src/resources/kube/kinds.ts';
import type { Tenant } from '../tenant.ts';
import { waitFor } from '../wait-for.ts';
import { declareFunction, type ServedFunction } from './served-function.ts';
import type { Stage } from './stage.ts';

/** Says in its log what it was called with, so that every beginning of a run is seen. */
const TELLING = {
  'handler.py': [
    'import json, time',
    'def handle(event, context):',
    '    print("begun", context.trigger, context.trigger_name, json.dumps(event)[:40], flush=True)',
    '    time.sleep(event.get("seconds", 0))',
    '    if event.get("fail"): raise ValueError("as asked")',
    '    return {"length": len(event.get("text", "")), "trigger": context.trigger}',
    '',
  ].join('\n'),
};

const PATIENCE_MS = 150_000;

/** What REST shows of a job, as far as scenarios look at it. */
export interface ShownJob {
  readonly phase: string;
  readonly result: string | null;
  readonly message: string;
  readonly attempts: number;
  readonly conditions: readonly { readonly type: string; readonly status: string; readonly reason: string }[];
}

export const jobOf = async (tenant: Tenant, name: string): Promise<ShownJob> =>
  (await tenant.call('GET', `/jobs/${name}`)).body as unknown as ShownJob;

export const untilJob = (
  tenant: Tenant,
  name: string,
  holds: (job: ShownJob) => boolean,
): Promise<ShownJob> =>
  waitFor({
    for: `job ${tenant.namespace}/${name}`,
    timeoutMs: PATIENCE_MS,
    look: () => jobOf(tenant, name),
    holds,
  });

export const isOver = ({ phase }: ShownJob): boolean => phase === 'Succeeded' || phase === 'Failed';

/** A function that tells of its calls, Ready. */
export async function tellingFunction(stage: Stage): Promise<ServedFunction> {
  const fn = await declareFunction(stage);
  await fn.ready(await fn.tenant.upload(fn.name, TELLING));
  return fn;
}

/** Jobs of runs that the namespace ever had. */
export const runJobs = ({ jobs }: ServedFunction): string[] =>
  jobs.all().filter((name) => name.includes('-r-'));

/** FunctionJobs and cron Triggers with real pods. */
export function runs(stage: Stage): void {
  test('an event of 90 KB arrives as a file, and the result comes back', async () => {
    const { tenant } = await tellingFunction(stage);
    const event_json = JSON.stringify({ text: 'x<&'.repeat(30_000) });
    await tenant.call('POST', '/jobs', { name: 'large', function: 'hello', event_json, run_id: 1 });
    const job = await untilJob(tenant, 'large', isOver);
    expect(job).toMatchObject({
      phase: 'Succeeded',
      result: '{"length":90000,"trigger":"job"}',
      attempts: 1,
    });
  });

  test('a run that fails says why, after its retries; a higher one runs again, a lower one does nothing', async () => {
    const fn = await tellingFunction(stage);
    const { tenant } = fn;
    const event_json = '{"fail":true}';
    await tenant.call('POST', '/jobs', { name: 'j', function: 'hello', event_json, run_id: 5, retries: 1 });
    const failed = await untilJob(tenant, 'j', isOver);
    expect(failed).toMatchObject({ phase: 'Failed', message: 'ValueError: as asked', attempts: 2 });
    await tenant.call('PATCH', '/jobs/j', { run_id: 4 });
    const lower = await untilJob(tenant, 'j', ({ message }) => message.includes('lower than 5'));
    expect(lower.phase).toBe('Failed');
    expect(runJobs(fn)).toHaveLength(1);
    await tenant.call('PATCH', '/jobs/j', { run_id: 6, event_json: null });
    expect(await untilJob(tenant, 'j', isOver)).toMatchObject({ phase: 'Succeeded', attempts: 1 });
    expect(runJobs(fn)).toHaveLength(2);
  });

  test('a finished run stays finished: its Job deleted, its status wiped, both', async () => {
    const fn = await tellingFunction(stage);
    const { tenant, namespace } = fn;
    await tenant.call('POST', '/jobs', { name: 'j', function: 'hello', run_id: 1 });
    const { result } = await untilJob(tenant, 'j', isOver);
    const ref = { kind: KINDS.FunctionJob, namespace, name: 'j' };
    await waitFor({
      for: 'the finished run in an annotation',
      look: async () => (await stage.real.cluster.get(ref))?.metadata.annotations,
      holds: (annotations) => annotations?.['sless.dev/finished-run'] === `${namespace}/j=1`,
    });
    await stage.admin.run(['delete', 'job', '-n', namespace, '-l', 'sless.dev/function-job=j']);
    expect(await jobOf(tenant, 'j')).toMatchObject({ phase: 'Succeeded', result });
    await stage.real.cluster.patch(ref, { status: null }, { subresource: 'status' });
    await stage.admin.run(['annotate', 'fnjob', 'j', '-n', namespace, 'touched=yes']);
    await waitFor({
      for: 'a status again',
      look: async () => (await stage.real.cluster.get(ref))?.status as FunctionJobStatus | undefined,
      holds: (status) => status?.phase === 'Succeeded' && status.lastRunID === 1,
    });
    expect(runJobs(fn)).toHaveLength(1);
  });

  test('raised while a run goes on: that one is ended first, and never do two run at once', async () => {
    const fn = await tellingFunction(stage);
    const { tenant, namespace } = fn;
    await tenant.call('POST', '/jobs', {
      name: 'j',
      function: 'hello',
      event_json: '{"seconds":600}',
      run_id: 1,
    });
    const running = async () => {
      const { items } = await stage.real.cluster.list({
        kind: KINDS.Pod,
        namespace,
        labels: { 'sless.dev/function-job': 'j' },
      });
      return items
        .filter(({ status }) => (status as { phase?: string }).phase === 'Running')
        .map(({ metadata }) => metadata.annotations?.['sless.dev/run-id']);
    };
    await waitFor({ for: 'run 1', timeoutMs: PATIENCE_MS, look: running, holds: (ids) => ids.includes('1') });
    await tenant.call('PATCH', '/jobs/j', { run_id: 2, event_json: '{"seconds":600}' });
    await waitFor({
      for: 'run 2, alone',
      timeoutMs: PATIENCE_MS,
      look: async () => {
        const ids = await running();
        expect(ids.length).toBeLessThanOrEqual(1);
        return ids;
      },
      holds: (ids) => ids.includes('2'),
    });
    // Deleting it ends what runs.
    await tenant.call('DELETE', '/jobs/j');
    await waitFor({ for: 'no pod any more', look: running, holds: (ids) => ids.length === 0 });
  });

  test('a run waits for code, and goes on when it is there', async () => {
    const fn = await declareFunction(stage);
    await fn.tenant.call('POST', '/jobs', { name: 'early', function: 'hello', run_id: 1 });
    await untilJob(fn.tenant, 'early', ({ message }) => message.includes('no code yet'));
    await fn.tenant.upload(fn.name, TELLING);
    expect(await untilJob(fn.tenant, 'early', isOver)).toMatchObject({ phase: 'Succeeded' });
  });

  test('cron fires from a pod of its CronJob, with the payload and its name; disabled, it sleeps', async () => {
    const { tenant, namespace } = await tellingFunction(stage);
    const cron = {
      name: 'tick',
      type: 'cron',
      function: 'hello',
      schedule: '* * * * *',
      payload: '{"text":"<tick>"}',
    };
    await tenant.call('POST', '/triggers', cron);
    const trigger = async () =>
      (await tenant.call('GET', '/triggers/tick')).body as { last_run: string | null };
    await waitFor({
      for: 'the first run',
      timeoutMs: PATIENCE_MS,
      look: trigger,
      holds: ({ last_run }) => last_run !== null,
    });
    const logs = () =>
      stage.admin.run(['logs', '-n', namespace, '-l', 'sless.dev/component=server', '--tail=-1']);
    await waitFor({
      for: 'the call in the log of the function',
      timeoutMs: PATIENCE_MS,
      look: logs,
      holds: (text) => text.includes('begun cron tick {"text": "<tick>"}'),
    });
    const { items } = await stage.real.cluster.list({
      kind: KINDS.Job,
      namespace,
      labels: { 'sless.dev/trigger': 'tick' },
    });
    expect(items[0]?.metadata.ownerReferences).toMatchObject([{ kind: 'CronJob', name: 'tick' }]);
    await tenant.call('PATCH', '/triggers/tick', { enabled: false });
    await waitFor({
      for: 'a CronJob that sleeps',
      look: async () =>
        (await stage.real.cluster.get({ kind: KINDS.CronJob, namespace, name: 'tick' }))?.spec,
      holds: (spec) => (spec as { suspend?: boolean } | undefined)?.suspend === true,
    });
  });
}
