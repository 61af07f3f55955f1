import { expect, test } from 'vitest';
import { ask, settle, sync } from '../../../test/hooks/loop.ts';
import { deploy, failBuild, finishBuild, report, rollOut } from '../../../test/hooks/played.ts';
import {
  childOf,
  conditionOf,
  DIGEST,
  edit,
  key,
  kinds,
  replicasOf,
  statusOf,
  trigger,
  verdict,
  world,
} from '../../../test/hooks/world.ts';
import { formatTime } from '../kube/time.ts';

test('a Function without code waits for it and has no children', () => {
  const of = world();
  settle(of);
  expect(verdict(of)).toBe('Pending AwaitingCode');
  expect(of.children.size).toBe(0);
});

test('code is built, then deployed by digest, then ready; the Job goes once status says what it brought', () => {
  const of = world({ s3Key: key(1) });
  settle(of);
  expect(verdict(of)).toBe('Building Building');
  expect(kinds(of)).toEqual(['Job']);
  expect(statusOf(of).build?.uid).toBe(childOf(of, 'Job')?.metadata.uid);

  finishBuild(of);
  expect(sync(of).resyncAfterSeconds).toBe(5);
  expect(statusOf(of).image).toBe(`registry.local:5000/sless/team/hello@${DIGEST}`);
  expect(kinds(of)).toEqual(['Deployment', 'Job', 'Service']);
  sync(of);
  expect(kinds(of)).toEqual(['Deployment', 'Service']);
  settle(of);
  expect(verdict(of)).toBe('Deploying Deploying');

  rollOut(of);
  settle(of);
  expect(verdict(of)).toBe('Ready Ready');
  expect(statusOf(of)).toMatchObject({ builtKey: key(1), replicas: 1, readyReplicas: 1 });
  expect(of.jobsMade).toHaveLength(1);
});

test('a quiet Function is quiet: no write, no resync, whatever the time', () => {
  const of = world();
  deploy(of, 1);
  const before = JSON.stringify(of.parent.status);
  of.now += 3_600_000;
  const response = sync(of);
  expect(response.resyncAfterSeconds).toBeUndefined();
  expect(JSON.stringify(of.parent.status)).toBe(before);
});

test('a function stops when it has Triggers and all of them are off, and starts without anything made anew', () => {
  const of = world({ replicas: 3 });
  deploy(of, 1);
  const uid = childOf(of, 'Deployment')?.metadata.uid;
  of.triggers = [
    trigger('a', { enabled: false }),
    trigger('b', { enabled: false, type: 'cron', schedule: '* * * * *' }),
  ];
  settle(of);
  expect(replicasOf(of)).toBe(0);
  expect(verdict(of)).toBe('Deploying Deploying');
  rollOut(of);
  settle(of);
  expect(verdict(of)).toBe('Ready Stopped');
  expect(conditionOf(of, 'Available')?.status).toBe('False');

  of.triggers = [trigger('a', { enabled: false }), trigger('b')];
  settle(of);
  rollOut(of);
  settle(of);
  expect(replicasOf(of)).toBe(3);
  expect(childOf(of, 'Deployment')?.metadata.uid).toBe(uid);
});

test('a function can be stopped while a build of it has failed', () => {
  const of = world();
  deploy(of, 1);
  edit(of, { s3Key: key(2) });
  settle(of);
  failBuild(of);
  of.triggers = [trigger('a', { enabled: false })];
  settle(of);
  expect(replicasOf(of)).toBe(0);
});

test('a Trigger of another function under a forged label does not count', () => {
  const of = world();
  deploy(of, 1);
  of.triggers = [trigger('a', { enabled: false, functionRef: 'other' })];
  settle(of);
  expect(replicasOf(of)).toBe(1);
});

test('an event Trigger bounds the time limit', () => {
  const of = world({ timeoutSeconds: 1501 });
  deploy(of, 1);
  of.triggers = [trigger('q', { type: 'event', queue: 'q' })];
  settle(of);
  expect(verdict(of)).toBe('Failed InvalidSpec');
  edit(of, { timeoutSeconds: 1500 });
  settle(of);
  rollOut(of);
  settle(of);
  expect(verdict(of)).toBe('Ready Ready');
});

test('a child that is not there is looked for every five seconds, and after a minute somebody must look', () => {
  const of = world();
  of.refused.add('Deployment');
  edit(of, { s3Key: key(1) });
  settle(of);
  of.now += 300_000;
  finishBuild(of);
  settle(of);
  expect(sync(of).resyncAfterSeconds).toBe(5);
  expect(verdict(of)).toBe('Deploying Deploying');
  expect(conditionOf(of, 'Applied')).toMatchObject({ status: 'False', reason: 'Applying' });
  of.now += 59_000;
  settle(of);
  expect(verdict(of)).toBe('Deploying Deploying');
  of.now += 2_000;
  settle(of);
  expect(verdict(of)).toBe('Failed ChildNotApplied');
  expect(statusOf(of).message).toContain('Deployment hello');

  of.refused.clear();
  settle(of);
  rollOut(of);
  settle(of);
  expect(verdict(of)).toBe('Ready Ready');
  expect(conditionOf(of, 'Applied')).toBeUndefined();
});

test('a build whose Job is refused waits, and after a minute says so; with the room it goes on', () => {
  const of = world();
  of.refused.add('Job');
  edit(of, { s3Key: key(1) });
  settle(of);
  expect(sync(of).resyncAfterSeconds).toBe(5);
  expect(verdict(of)).toBe('Building Building');
  of.now += 61_000;
  settle(of);
  expect(verdict(of)).toBe('Building ChildNotApplied');
  expect(statusOf(of).message).toMatch(/^Job hello-b-\S+ could not be made: /);
  expect(conditionOf(of, 'Reconciling')?.status).toBe('True');
  expect(conditionOf(of, 'Stalled')).toBeUndefined();
  expect(sync(of).resyncAfterSeconds).toBe(5);
  of.refused.clear();
  settle(of);
  expect(verdict(of)).toBe('Building Building');
});

test('a build whose Job is refused while another child is missing too is not all that somebody must look at', () => {
  const of = world();
  deploy(of, 1);
  of.refused.add('Job').add('Service');
  const [service] = [...of.children].find(([, { kind }]) => kind === 'Service') ?? [];
  of.children.delete(service!);
  edit(of, { s3Key: key(2) });
  settle(of);
  of.now += 61_000;
  settle(of);
  expect(verdict(of)).toBe('Failed ChildNotApplied');
});

test('pods whose Service is not there are not Ready', () => {
  const of = world();
  of.refused.add('Service');
  deploy(of, 1);
  expect(verdict(of)).toBe('Deploying Deploying');
  expect(statusOf(of).message).toBe('waiting for Service hello');
  of.refused.clear();
  settle(of);
  expect(verdict(of)).toBe('Ready Ready');
});

test('a build whose pod is refused is looked at again, and after a minute it says so', () => {
  const of = world({ s3Key: key(1) });
  settle(of);
  expect(sync(of).resyncAfterSeconds).toBeUndefined();
  const started = { startTime: formatTime(of.now), ready: 0, terminating: 0, uncountedTerminatedPods: {} };
  report(of, 'Job', started);
  expect(sync(of).resyncAfterSeconds).toBe(5);
  expect(verdict(of)).toBe('Building Building');
  of.now += 60_000;
  settle(of);
  expect(verdict(of)).toBe('Building ChildNotApplied');
  expect(statusOf(of).message).toMatch(/^Job hello-b-\S+ has no pod: /);
  report(of, 'Job', { ...started, active: 1 });
  settle(of);
  expect(verdict(of)).toBe('Building Building');
  expect(sync(of).resyncAfterSeconds).toBeUndefined();
  report(of, 'Job', { ...started, uncountedTerminatedPods: { succeeded: ['a'] } });
  settle(of);
  expect(verdict(of)).toBe('Building Building');
});

test('pods that never become ready end as failed, with the reason that the reporter found', () => {
  const of = world();
  deploy(of, 1);
  edit(of, { env: { A: 'b' } });
  settle(of);
  const stuck = (annotations: Record<string, string>, reason: string) =>
    report(
      of,
      'Deployment',
      {
        observedGeneration: childOf(of, 'Deployment')?.metadata.generation,
        replicas: 2,
        updatedReplicas: 1,
        availableReplicas: 1,
        readyReplicas: 1,
        conditions: [{ type: 'Progressing', status: reason === '' ? 'True' : 'False', reason }],
      },
      annotations,
    );
  stuck({}, '');
  settle(of);
  expect(verdict(of)).toBe('Deploying Deploying');
  stuck({ 'sless.dev/report': JSON.stringify({ reason: 'CrashLoop', message: 'exit code 1: boom' }) }, '');
  settle(of);
  expect(verdict(of)).toBe('Deploying CrashLoop');
  stuck({}, 'ProgressDeadlineExceeded');
  settle(of);
  expect(verdict(of)).toBe('Failed CrashLoop');
  expect(statusOf(of).message).toBe('exit code 1: boom');
  stuck(
    { 'sless.dev/report': JSON.stringify({ reason: 'CrashLoop', image: 'another' }) },
    'ProgressDeadlineExceeded',
  );
  settle(of);
  expect(verdict(of)).toBe('Failed ProgressDeadlineExceeded');
});

test('a Function that is being deleted is answered like any other', () => {
  const of = world();
  deploy(of, 1);
  const { metadata } = of.parent;
  of.parent = { ...of.parent, metadata: { ...metadata, deletionTimestamp: '2026-01-02T03:04:05Z' } };
  expect(ask(of).children).toHaveLength(2);
});
