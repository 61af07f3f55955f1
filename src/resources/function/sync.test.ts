import { expect, test } from 'vitest';
import { ask, settle, sync } from '../../../test/hooks/loop.ts';
import { deploy, failBuild, finishBuild, report, rollOut } from '../../../test/hooks/played.ts';
import { catalogue, FUNCTION_SETTINGS } from '../../../test/hooks/settings.ts';
import {
  annotate,
  childOf,
  conditionOf,
  DIGEST,
  edit,
  key,
  START,
  statusOf,
  trigger,
  type World,
  world,
} from '../../../test/hooks/world.ts';

const imageOf = (of: World): string | undefined =>
  childOf(of, 'Deployment')?.metadata.annotations?.['sless.dev/image'];
const replicasOf = (of: World) =>
  (childOf(of, 'Deployment')?.spec as { replicas: number } | undefined)?.replicas;
const verdict = (of: World) => {
  const { phase } = statusOf(of);
  return `${phase} ${conditionOf(of, 'Ready')?.reason}`;
};
const kinds = (of: World): string[] => [...of.children.values()].map(({ kind }) => kind).sort();

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
  sync(of);
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

test('the last good version serves through v2, a broken v3, and back to v2 without a build', () => {
  const of = world();
  deploy(of, 1);
  deploy(of, 2);
  const good = imageOf(of);
  edit(of, { s3Key: key(3), env: { NEW: 'setting' } });
  settle(of);
  expect(verdict(of)).toBe('Building Building');
  failBuild(of);
  settle(of);
  expect(verdict(of)).toBe('Failed BuildFailed');
  expect(conditionOf(of, 'Available')?.status).toBe('True');
  expect(imageOf(of)).toBe(good);
  expect(JSON.stringify(childOf(of, 'Deployment')?.spec)).not.toContain('NEW');
  expect(kinds(of)).toEqual(['Deployment', 'Job', 'Service']);

  edit(of, { s3Key: key(2), env: {} });
  settle(of);
  expect(verdict(of)).toBe('Ready Ready');
  expect(kinds(of)).toEqual(['Deployment', 'Service']);
  expect(of.jobsMade).toHaveLength(3);
});

test('a rollback deploys what history holds and builds nothing', () => {
  const of = world();
  deploy(of, 1);
  const first = imageOf(of);
  deploy(of, 2);
  edit(of, { s3Key: key(1) });
  settle(of);
  expect(imageOf(of)).toBe(first);
  expect(of.jobsMade).toHaveLength(2);
  expect(statusOf(of).history?.map((entry) => entry.key)).toEqual([key(2), key(1)]);
});

test('history keeps the last ten good builds', () => {
  const of = world();
  for (let version = 1; version <= 12; version += 1) deploy(of, version);
  expect(statusOf(of).history?.map((entry) => entry.key)).toEqual(
    [12, 11, 10, 9, 8, 7, 6, 5, 4, 3].map((version) => key(version)),
  );
});

test('a bad spec changes nothing of what runs, and says what is wrong', () => {
  const bad: [Record<string, unknown>, string][] = [
    [{ runtime: 'cobol' }, 'UnknownRuntime'],
    [{ s3Key: 'contexts/other/hello/v1.tar.gz' }, 'ForbiddenSource'],
    [{ s3Key: 'contexts/team/hello/../../other/f/v1.tar.gz' }, 'ForbiddenSource'],
    [{ s3Key: 'contexts/team/hello-2/v1.tar.gz' }, 'ForbiddenSource'],
    [{ s3Bucket: 'theirs' }, 'ForbiddenSource'],
    [{ secrets: ['admin-password'] }, 'ForbiddenSecret'],
    [{ replicas: -1 }, 'InvalidSpec'],
    [{ env: { PORT: '1' } }, 'InvalidSpec'],
    [{ entrypoint: '../x' }, 'InvalidSpec'],
  ];
  for (const [spec, reason] of bad) {
    const of = world({
      env: { A: '$(HOME)', B: '' },
      secrets: ['fn-a'],
      resources: { limits: { cpu: '0.5' } },
    });
    deploy(of, 1);
    const before = JSON.stringify([...of.children]);
    edit(of, spec);
    settle(of);
    expect(verdict(of)).toBe(`Failed ${reason}`);
    expect(conditionOf(of, 'Stalled')?.status).toBe('True');
    expect(JSON.stringify([...of.children])).toBe(before);
    expect(statusOf(of).builtKey).toBe(key(1));
  }
});

test('a build that runs when the spec turns bad runs on', () => {
  const of = world({ s3Key: key(1) });
  settle(of);
  edit(of, { replicas: -1 });
  settle(of);
  expect(kinds(of)).toEqual(['Job']);
  edit(of, { replicas: 2 });
  finishBuild(of);
  settle(of);
  expect(replicasOf(of)).toBe(2);
  expect(of.jobsMade).toHaveLength(1);
});

test('in a namespace that is not enabled nothing is created, changed or deleted', () => {
  const of = world({ s3Key: key(1) });
  of.namespaceLabels = {};
  settle(of);
  expect(verdict(of)).toBe('Failed NamespaceNotEnabled');
  expect(of.children.size).toBe(0);

  const running = world();
  deploy(running, 1);
  const before = JSON.stringify([...running.children]);
  running.namespaceLabels = { 'sless.dev/tenant': 'yes' };
  edit(running, { replicas: 5 });
  settle(running);
  expect(JSON.stringify([...running.children])).toBe(before);
});

test('a wiped s3Key leaves the version that serves, and later settings reach it', () => {
  const of = world();
  deploy(of, 1);
  const image = imageOf(of);
  edit(of, { s3Key: undefined, env: { A: 'b' } });
  settle(of);
  rollOut(of);
  settle(of);
  expect(verdict(of)).toBe('Ready Ready');
  expect(imageOf(of)).toBe(image);
  expect(JSON.stringify(childOf(of, 'Deployment'))).toContain('"value":"b"');
});

test('a lost status is read back from the Deployment: it serves on and builds nothing', () => {
  for (const annotations of [{}, { 'sless.dev/rebuild': 'r1' }]) {
    const of = world();
    annotate(of, annotations);
    deploy(of, 1);
    const before = JSON.stringify([...of.children]);
    const { build: _, ...known } = statusOf(of);
    of.parent = { ...of.parent, status: {} };
    settle(of);
    expect(statusOf(of)).toMatchObject({ ...known, conditions: expect.any(Array) });
    expect(JSON.stringify([...of.children])).toBe(before);
    expect(of.jobsMade).toHaveLength(1);
  }
});

test('a status that holds nonsense counts as lost', () => {
  const of = world();
  deploy(of, 1);
  of.parent = { ...of.parent, status: { image: 7, history: 'none' } };
  settle(of);
  expect(verdict(of)).toBe('Ready Ready');
  expect(of.jobsMade).toHaveLength(1);
});

test('a Function restored under another uid serves its old image and builds nothing', () => {
  const of = world();
  deploy(of, 1);
  const image = imageOf(of);
  const { metadata } = of.parent;
  of.parent = { ...of.parent, metadata: { ...metadata, uid: 'another' } };
  of.children.clear();
  settle(of);
  expect(imageOf(of)).toBe(image);
  expect(of.jobsMade).toHaveLength(1);
});

test('children of a predecessor of the same name are not taken for its own', () => {
  const of = world();
  deploy(of, 1);
  const { metadata } = of.parent;
  of.parent = { ...of.parent, status: {}, metadata: { ...metadata, uid: 'the-next' } };
  const response = ask(of);
  expect(response.children.map(({ kind }) => kind)).toEqual(['Job']);
  expect(response.children[0]?.metadata.name).not.toBe(of.jobsMade[0]);
});

test('a newer runtime rebuilds nothing, a rebuild takes it up, a rollback goes back', () => {
  const of = world();
  deploy(of, 1);
  of.settings = { ...FUNCTION_SETTINGS, runtimes: catalogue('v1.1.0') };
  settle(of);
  expect(of.jobsMade).toHaveLength(1);
  expect(statusOf(of).runtimeImage).toMatch(/:v1\.0\.0$/);

  annotate(of, { 'sless.dev/rebuild': 'now' });
  settle(of);
  expect(of.jobsMade).toHaveLength(2);
  expect(imageOf(of)).toContain('1111');
  finishBuild(of, DIGEST);
  settle(of);
  expect(statusOf(of)).toMatchObject({
    runtimeImage: expect.stringMatching(/:v1\.1\.0$/),
    builtRebuild: 'now',
  });
  expect(statusOf(of).history).toHaveLength(1);
});

test('a build goes on with the runtime that it began with, and so does the verdict on one that failed', () => {
  const of = world({ s3Key: key(1) });
  settle(of);
  of.settings = { ...FUNCTION_SETTINGS, runtimes: catalogue('v1.1.0') };
  settle(of);
  failBuild(of);
  settle(of);
  expect(of.jobsMade).toHaveLength(1);
  expect(verdict(of)).toBe('Failed BuildFailed');
});

test('another runtime for the same code is another build', () => {
  const of = world();
  deploy(of, 1);
  edit(of, { runtime: 'nodejs20' });
  settle(of);
  expect(of.jobsMade).toHaveLength(2);
  expect(of.jobsMade[0]).not.toBe(of.jobsMade[1]);
});

test('a rebuild that failed does not stand in the way of a rollback, or of the way back', () => {
  const of = world();
  deploy(of, 1);
  deploy(of, 2);
  annotate(of, { 'sless.dev/rebuild': 'r1' });
  settle(of);
  failBuild(of);
  settle(of);
  expect(verdict(of)).toBe('Failed BuildFailed');
  for (const version of [1, 2]) {
    edit(of, { s3Key: key(version) });
    settle(of);
    rollOut(of);
    settle(of);
    expect(verdict(of)).toBe('Ready Ready');
  }
  expect(of.jobsMade).toHaveLength(3);
});

test('a build that was left for another key is made again when its key comes back', () => {
  const of = world();
  deploy(of, 1);
  edit(of, { s3Key: key(2) });
  settle(of);
  edit(of, { s3Key: key(1) });
  settle(of);
  expect(kinds(of)).toEqual(['Deployment', 'Service']);
  edit(of, { s3Key: key(2) });
  settle(of);
  expect(verdict(of)).toBe('Building Building');
});

test('a Job that was seen and is gone is lost, not made again; a rebuild makes another', () => {
  const of = world({ s3Key: key(1) });
  settle(of);
  of.children.clear();
  settle(of);
  expect(verdict(of)).toBe('Failed BuildLost');
  expect(of.jobsMade).toHaveLength(1);
  annotate(of, { 'sless.dev/rebuild': 'again' });
  settle(of);
  expect(of.jobsMade).toHaveLength(2);
});

test('a Job whose success only the Deployment remembers is not lost', () => {
  const of = world({ s3Key: key(1) });
  settle(of);
  const stale = of.parent;
  finishBuild(of);
  settle(of);
  of.parent = stale;
  settle(of);
  expect(statusOf(of)).toMatchObject({ builtKey: key(1), image: expect.stringContaining(DIGEST) });
  expect(of.jobsMade).toHaveLength(1);
});

test('a failed build says why, in the words of the reporter where there are some', () => {
  const cases: [object, Record<string, string>, string][] = [
    [{ reason: 'DeadlineExceeded', message: 'too long' }, {}, 'BuildTimedOut'],
    [{ reason: 'BackoffLimitExceeded', message: 'x' }, {}, 'BuildFailed'],
    [
      {
        reason: 'PodFailurePolicy',
        message: 'Container build for pod team/p failed with exit code 137 matching FailJob rule at index 2',
      },
      {},
      'BuildOutOfMemory',
    ],
    [
      {
        reason: 'PodFailurePolicy',
        message: 'Container fetch for pod team/p failed with exit code 77 matching FailJob rule at index 1',
      },
      {},
      'SourceUnavailable',
    ],
    [
      { reason: 'BackoffLimitExceeded', message: 'x' },
      { 'sless.dev/report': JSON.stringify({ reason: 'RegistryRefused', message: 'denied' }) },
      'RegistryRefused',
    ],
    [{ reason: 'BackoffLimitExceeded' }, { 'sless.dev/report': '{"reason":"Nonsense"}' }, 'BuildFailed'],
  ];
  for (const [condition, annotations, reason] of cases) {
    const of = world({ s3Key: key(1) });
    settle(of);
    report(of, 'Job', { conditions: [{ type: 'Failed', status: 'True', ...condition }] }, annotations);
    settle(of);
    expect(verdict(of)).toBe(`Failed ${reason}`);
    expect(statusOf(of).build?.reason).toBe(reason);
    of.children.clear();
    settle(of);
    expect(verdict(of)).toBe(`Failed ${reason}`);
  }
});

test('the digest is waited for a minute, then the tag counts', () => {
  const of = world({ s3Key: key(1) });
  settle(of);
  finishBuild(of, 'none');
  expect(sync(of).resyncAfterSeconds).toBe(5);
  of.now += 59_000;
  sync(of);
  expect(childOf(of, 'Deployment')).toBeUndefined();
  of.now = START + 60_000;
  sync(of);
  expect(statusOf(of).image).toMatch(/^registry\.local:5000\/sless\/team\/hello:[0-9a-f]{16}$/);
});

test('code with dependencies needs a builder for them; code without does not', () => {
  const { dockerfileImage: _, ...builder } = FUNCTION_SETTINGS.builder;
  const of = world();
  of.settings = { ...FUNCTION_SETTINGS, builder };
  annotate(of, { 'sless.dev/build-plan': `${key(1)}=append` });
  deploy(of, 1);
  edit(of, { s3Key: key(2) });
  settle(of);
  expect(verdict(of)).toBe('Failed BuilderUnavailable');
  expect(conditionOf(of, 'Available')?.status).toBe('True');
  edit(of, { build: 'append' });
  settle(of);
  expect(verdict(of)).toBe('Building Building');
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

test('a restart annotation restarts the pods and nothing else', () => {
  const of = world();
  deploy(of, 1);
  annotate(of, { 'sless.dev/restart': '2026-01-02T03:04:05Z' });
  settle(of);
  const template = (childOf(of, 'Deployment')?.spec as { template: { metadata: object } }).template;
  expect(template.metadata).toMatchObject({ annotations: { 'sless.dev/restart': '2026-01-02T03:04:05Z' } });
  expect(of.jobsMade).toHaveLength(1);
});

test('an annotation of enormous size is not copied into children or status', () => {
  const of = world({ s3Key: key(1) });
  annotate(of, { 'sless.dev/rebuild': 'x'.repeat(100_000), 'sless.dev/restart': 'y'.repeat(100_000) });
  settle(of);
  finishBuild(of);
  settle(of);
  expect(JSON.stringify([...of.children.values(), of.parent.status]).length).toBeLessThan(30_000);
});

test('a Function that is being deleted is answered like any other', () => {
  const of = world();
  deploy(of, 1);
  const { metadata } = of.parent;
  of.parent = { ...of.parent, metadata: { ...metadata, deletionTimestamp: '2026-01-02T03:04:05Z' } };
  expect(ask(of).children).toHaveLength(2);
});
