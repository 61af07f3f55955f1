import { expect, test } from 'vitest';
import {
  ask,
  BUILT,
  beginPods,
  condition,
  decorate,
  drop,
  edit,
  endPod,
  type JobWorld,
  jobOfRun,
  jobWorld,
  passTime,
  running,
  settle,
  statusOf,
  sync,
  wipeStatus,
} from '../../../test/hooks/job-world.ts';
import type { KubeObject } from '../kube/object.ts';
import { formatTime } from '../kube/time.ts';
import { finishedOf } from './observed.ts';

const conditions = (of: JobWorld): string[] =>
  (statusOf(of).conditions ?? []).map(({ type, status, reason }) => `${type}=${status} ${reason}`);

function textOf(event: KubeObject | undefined): string {
  const { 'event.json': text = '' } = (event?.binaryData ?? {}) as Record<string, string>;
  return Buffer.from(text, 'base64').toString();
}

function finished(spec: Record<string, unknown> = {}): JobWorld {
  const of = jobWorld(spec);
  settle(of);
  endPod(of);
  settle(of);
  return of;
}

const childrenOf = (of: JobWorld, kind: string): KubeObject[] =>
  [...of.children.values()].filter((child) => child.kind === kind);

const removeJob = (of: JobWorld): void => drop(of, `Job ${childrenOf(of, 'Job')[0]?.metadata.name}`);

test('a run is a Job, then its uid in status, then its event, and only then code', () => {
  const of = jobWorld({ eventJSON: '{"a":"<&>"}' });
  sync(of);
  expect(childrenOf(of, 'Job')).toHaveLength(1);
  expect(childrenOf(of, 'ConfigMap')).toHaveLength(0);
  expect(statusOf(of)).toMatchObject({ phase: 'Pending', runID: 1 });
  sync(of);
  beginPods(of);
  expect(of.begun).toEqual([]);
  expect(statusOf(of)).toMatchObject({ phase: 'Running', jobUID: 'uid-1', lastRunID: 1 });
  expect(childrenOf(of, 'ConfigMap')).toHaveLength(0);
  sync(of);
  expect(textOf(childrenOf(of, 'ConfigMap')[0])).toBe('{"a":"<&>"}');
  beginPods(of);
  expect(of.begun).toEqual([1]);
});

test('its result comes back, with its times, and stays when its Job is deleted', () => {
  const of = finished();
  const told = {
    phase: 'Succeeded',
    runID: 1,
    result: '{"ok":true}',
    attempts: 1,
    startTime: '2026-01-02T03:04:05Z',
    completionTime: expect.any(String),
    message: 'run 1 succeeded',
  };
  expect(statusOf(of)).toMatchObject(told);
  expect(conditions(of)).toEqual(['Complete=True Succeeded', 'Ready=True Succeeded']);
  removeJob(of);
  settle(of);
  expect(statusOf(of)).toMatchObject(told);
  expect(of.children.size).toBe(0);
  expect(of.begun).toEqual([1]);
});

test('a finished run is written into annotations, and its event goes then', () => {
  const of = finished();
  expect(of.parent.metadata.annotations).toEqual({
    'sless.dev/finished-run': 'team/migrate=1',
    'sless.dev/finished-phase': 'Succeeded',
  });
  expect(childrenOf(of, 'ConfigMap')).toEqual([]);
  expect(childrenOf(of, 'Job')).toHaveLength(1);
});

test('status lost: the Job tells it again, and without a Job the annotation keeps it from running', () => {
  const of = finished();
  const before = statusOf(of);
  wipeStatus(of);
  settle(of);
  expect(statusOf(of)).toMatchObject({ phase: before.phase, result: before.result, jobUID: before.jobUID });
  removeJob(of);
  wipeStatus(of);
  settle(of);
  const restored = { phase: 'Succeeded', runID: 1, lastRunID: 1, completionTime: formatTime(of.now) };
  expect(statusOf(of)).toMatchObject(restored);
  passTime(of, 3_600_000);
  settle(of);
  expect(statusOf(of)).toMatchObject(restored);
  expect(of.begun).toEqual([1]);
});

test('a copy under another address runs: what the annotations say is not of it', () => {
  const { annotations } = finished().parent.metadata;
  for (const address of [{ namespace: 'prod' }, { name: 'other' }]) {
    const of = jobWorld();
    const { metadata } = jobWorld().parent;
    of.parent = { ...of.parent, metadata: { ...metadata, annotations: { ...annotations } } };
    settle(of);
    expect(of.begun).toEqual([]);
    expect(statusOf(of)).toMatchObject({ phase: 'Succeeded', runID: 1 });
    const copied = { ...metadata, annotations: { ...annotations }, ...address };
    expect(finishedOf({ ...of.parent, metadata: copied })).toBeUndefined();
  }
  const of = jobWorld();
  const foreign = { 'sless.dev/finished-run': 'staging/migrate=7', 'sless.dev/finished-phase': 'Failed' };
  of.parent = { ...of.parent, metadata: { ...of.parent.metadata, annotations: foreign } };
  settle(of);
  expect(of.begun).toEqual([1]);
  endPod(of);
  settle(of);
  expect(of.parent.metadata.annotations).toEqual(annotations);
});

test('a number alone, as it was written before, counts, and is bound as soon as status says the same', () => {
  const of = jobWorld();
  const old = { 'sless.dev/finished-run': '1', 'sless.dev/finished-phase': 'Succeeded' };
  of.parent = { ...of.parent, metadata: { ...of.parent.metadata, annotations: old } };
  settle(of);
  expect(of.begun).toEqual([]);
  expect(of.parent.metadata.annotations).toEqual({ ...old, 'sless.dev/finished-run': 'team/migrate=1' });
});

test('a Job that is gone before its end is lost, and never made again', () => {
  const of = jobWorld();
  settle(of);
  removeJob(of);
  const seen = formatTime(of.now);
  settle(of);
  expect(statusOf(of)).toMatchObject({ phase: 'Failed', runID: 1 });
  expect(conditions(of)).toEqual(['Complete=False RunLost', 'Ready=False RunLost', 'Stalled=True RunLost']);
  // Without the time of an end it would never expire.
  expect(statusOf(of).completionTime).toBe(seen);
  const before = statusOf(of);
  passTime(of, 3_600_000);
  settle(of);
  expect(statusOf(of)).toEqual(before);
  expect(of.begun).toEqual([1]);
});

test('the event speaks for a Job that is gone when status is lost at the same time', () => {
  const of = jobWorld();
  settle(of);
  removeJob(of);
  wipeStatus(of);
  settle(of);
  expect(conditions(of)).toContain('Complete=False RunLost');
  expect(of.begun).toEqual([1]);
});

test('a Job that is deleted before anything of it was seen is made again: no code had begun', () => {
  const of = jobWorld();
  sync(of);
  beginPods(of);
  removeJob(of);
  settle(of);
  expect(of.begun).toEqual([1]);
  endPod(of);
  settle(of);
  expect(statusOf(of).phase).toBe('Succeeded');
});

test('runID 0 runs nothing', () => {
  const of = jobWorld({ runID: 0 });
  settle(of);
  expect(statusOf(of)).toMatchObject({ phase: 'Skipped', runID: 0 });
  expect(conditions(of)).toEqual(['Complete=False Skipped', 'Ready=True Skipped']);
  expect(of.children.size).toBe(0);
});

test.each([0, 4])('a runID lowered to %i runs nothing, and says so', (runID) => {
  const of = finished({ runID: 5 });
  edit(of, { runID });
  settle(of);
  expect(statusOf(of)).toMatchObject({ phase: 'Succeeded', runID: 5, result: '{"ok":true}' });
  expect(statusOf(of).message).toContain(`runID ${runID} is lower than 5`);
  expect(conditions(of)).toEqual([
    'Complete=True Succeeded',
    'Ready=False RunNotHigher',
    'Stalled=True RunNotHigher',
  ]);
  expect(of.begun).toEqual([5]);
});

test('a higher runID runs again, with the new event', () => {
  const of = finished({ eventJSON: '1' });
  edit(of, { runID: 2, eventJSON: '2' });
  settle(of);
  expect(textOf(childrenOf(of, 'ConfigMap')[0])).toBe('2');
  expect(childrenOf(of, 'Job').map(({ metadata }) => metadata.annotations?.['sless.dev/run-id'])).toEqual([
    '2',
  ]);
  expect(statusOf(of)).toMatchObject({ phase: 'Running', runID: 2 });
  expect(statusOf(of).result).toBeUndefined();
  endPod(of);
  settle(of);
  expect(statusOf(of)).toMatchObject({ phase: 'Succeeded', runID: 2, lastRunID: 2 });
  expect(of.begun).toEqual([1, 2]);
});

test('raised while the run before it goes on: that one is ended, and the new one runs alone', () => {
  const of = jobWorld();
  settle(of);
  edit(of, { runID: 2 });
  for (let second = 0; second < 60; second += 1) {
    sync(of);
    decorate(of);
    beginPods(of);
    expect(running(of).length).toBeLessThanOrEqual(1);
    // As long as a collector may take that was slow, and then the grace of a pod.
    if (second < 30) expect(of.begun).toEqual([1]);
    passTime(of, 1000);
  }
  expect(of.begun).toEqual([1, 2]);
  expect(running(of)).toEqual([2]);
  expect(statusOf(of)).toMatchObject({ phase: 'Running', runID: 2 });
  edit(of, { runID: 1 });
  settle(of);
  expect(of.begun).toEqual([1, 2]);
});

test('what a run came to is in status before its Job gives way', () => {
  const of = jobWorld();
  settle(of);
  endPod(of);
  edit(of, { runID: 2 });
  sync(of);
  expect(statusOf(of)).toMatchObject({ phase: 'Succeeded', runID: 1, result: '{"ok":true}' });
  decorate(of);
  settle(of);
  expect(of.parent.metadata.annotations).toMatchObject({ 'sless.dev/finished-run': 'team/migrate=1' });
  expect(of.begun).toEqual([1, 2]);
});

test('a run waits for its function: for one to be, to be built, and to be looked at', () => {
  const waiting = (fn: KubeObject | undefined): string => {
    const of = jobWorld();
    of.fn = fn;
    settle(of);
    expect(of.children.size).toBe(0);
    expect(statusOf(of).phase).toBe('Pending');
    of.fn = BUILT;
    settle(of);
    expect(of.begun).toEqual([1]);
    return '';
  };
  const status = BUILT.status as Record<string, unknown>;
  waiting(undefined);
  waiting({ ...BUILT, status: undefined });
  waiting({ ...BUILT, metadata: { ...BUILT.metadata, generation: 4 } });
  waiting({ ...BUILT, status: { ...status, conditions: [condition('Built', 'False', 'Building')] } });
  waiting({ ...BUILT, spec: { ...(BUILT.spec as object), s3Key: 'contexts/team/hello/v2.tar.gz' } });
});

test('why it waits is said in the words of the function', () => {
  const of = jobWorld();
  const failed = {
    ...(BUILT.status as object),
    conditions: [condition('Built', 'False', 'BuildFailed', 'pip said no')],
  };
  of.fn = { ...BUILT, status: failed };
  settle(of);
  expect(statusOf(of).message).toBe('run 1 is waiting for the function hello: pip said no');
  expect(conditions(of)).toEqual([
    'Complete=False BuildFailed',
    'Ready=False BuildFailed',
    'Reconciling=True BuildFailed',
  ]);
});

test.each([
  [
    'FunctionError',
    { reason: 'FunctionError', message: 'boom', exitCode: 1 },
    'BackoffLimitExceeded',
    'boom',
  ],
  [
    'FunctionTimeout',
    { reason: 'FunctionError', message: 'stopped', exitCode: 143 },
    'DeadlineExceeded',
    'the run did not end within timeoutSeconds',
  ],
  [
    'ImagePullFailed',
    { reason: 'ImagePullFailed', message: 'no such image' },
    'DeadlineExceeded',
    'no such image',
  ],
  [
    'OutOfMemory',
    { reason: 'OutOfMemory', message: 'too much', exitCode: 137 },
    'BackoffLimitExceeded',
    'too much',
  ],
])('a run that failed says %s', (reason, report, failed, message) => {
  const of = jobWorld();
  settle(of);
  endPod(of, { report, failed });
  settle(of);
  expect(statusOf(of)).toMatchObject({ phase: 'Failed', message, attempts: 1 });
  expect(conditions(of)).toEqual([
    `Complete=False ${reason}`,
    `Ready=False ${reason}`,
    `Stalled=True ${reason}`,
  ]);
  expect(of.parent.metadata.annotations).toMatchObject({ 'sless.dev/finished-phase': 'Failed' });
});

test('what the pod said is waited for, for a minute', () => {
  const of = jobWorld();
  settle(of);
  endPod(of, { report: {} });
  sync(of);
  expect(statusOf(of)).toMatchObject({
    phase: 'Running',
    message: 'run 1 is over; waiting for what it said',
  });
  expect(ask(of).resyncAfterSeconds).toBe(5);
  passTime(of, 60_000);
  settle(of);
  expect(statusOf(of)).toMatchObject({ phase: 'Succeeded' });
  expect(statusOf(of).result).toBeUndefined();
});

test.each([
  [{ eventJSON: 'not JSON' }, `spec.eventJSON: must be JSON text, such as '{"a":1}'`],
  [{ eventJSON: '' }, `spec.eventJSON: must be JSON text, such as '{"a":1}'`],
  [{ eventJSON: { a: 1 } }, `spec.eventJSON: must be JSON text, such as '{"a":1}'`],
  [{ eventJSON: `"${'x'.repeat(98_303)}"` }, '96 KiB'],
  [{ functionRef: 'a/b' }, 'spec.functionRef'],
])('a spec that cannot be used runs nothing: %#', (spec, message) => {
  const of = jobWorld(spec);
  settle(of);
  expect(of.children.size).toBe(0);
  expect(statusOf(of).message).toContain(message);
  expect(conditions(of)).toContain('Stalled=True InvalidSpec');
});

test('a spec that is spoilt during a run lets it run, and keeps what it came to', () => {
  const of = jobWorld();
  settle(of);
  edit(of, { eventJSON: '{' });
  settle(of);
  expect(of.children.size).toBe(2);
  endPod(of);
  settle(of);
  expect(statusOf(of)).toMatchObject({ phase: 'Succeeded', result: '{"ok":true}' });
  expect(conditions(of)).toContain('Stalled=True InvalidSpec');
});

test('where the namespace is not enabled nothing is made, and what is there stays', () => {
  const of = jobWorld();
  of.namespaceLabels = {};
  settle(of);
  expect(of.children.size).toBe(0);
  of.namespaceLabels = { 'sless.dev/tenant': 'true' };
  settle(of);
  of.namespaceLabels = {};
  settle(of);
  expect(of.children.size).toBe(2);
  expect(conditions(of)).toContain('Stalled=True NamespaceNotEnabled');
});

test('one that was made again under its name has its own Job', () => {
  const of = finished();
  const name = jobOfRun(of, 1)?.metadata.name;
  of.parent = { ...jobWorld().parent, metadata: { ...jobWorld().parent.metadata, uid: 'uid-again' } };
  settle(of);
  expect(of.begun).toEqual([1, 1]);
  expect(childrenOf(of, 'Job').map(({ metadata }) => metadata.name)).toContain(name);
  expect(new Set(childrenOf(of, 'Job').map(({ metadata }) => metadata.name)).size).toBe(2);
});

test('a Job that is refused is told of after a minute, and waited for', () => {
  const of = jobWorld();
  of.refused.add('Job');
  sync(of);
  passTime(of, 61_000);
  sync(of);
  expect(statusOf(of).message).toContain('Job migrate-r-');
  expect(statusOf(of).phase).toBe('Pending');
  expect(conditions(of)).toContain('Reconciling=True ChildNotApplied');
  expect(conditions(of).filter((one) => one.startsWith('Stalled'))).toEqual([]);
  of.refused.clear();
  settle(of);
  expect(of.begun).toEqual([1]);
});

test('one that is being deleted begins nothing', () => {
  const of = jobWorld();
  of.parent = {
    ...of.parent,
    metadata: { ...of.parent.metadata, deletionTimestamp: '2026-01-02T03:04:05Z' },
  };
  settle(of);
  expect(of.children.size).toBe(0);
});
