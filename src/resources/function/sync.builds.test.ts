import { expect, test } from 'vitest';
import { settle, sync } from '../../../test/hooks/loop.ts';
import { deploy, failBuild, finishBuild, report } from '../../../test/hooks/played.ts';
import { catalogue, FUNCTION_SETTINGS } from '../../../test/hooks/settings.ts';
import {
  annotate,
  childOf,
  conditionOf,
  DIGEST,
  edit,
  key,
  kinds,
  replicasOf,
  START,
  statusOf,
  verdict,
  world,
} from '../../../test/hooks/world.ts';

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
  const { kaniko: _, ...builder } = FUNCTION_SETTINGS.builder;
  const of = world();
  of.settings = { ...FUNCTION_SETTINGS, builder };
  annotate(of, { 'sless.dev/build-plan': `${key(1)}=append` });
  deploy(of, 1);
  edit(of, { s3Key: key(2) });
  settle(of);
  expect(verdict(of)).toBe('Failed BuilderUnavailable');
  // An upload of the same content decides by this.
  expect(statusOf(of).build).toMatchObject({ key: key(2), reason: 'BuilderUnavailable' });
  expect(conditionOf(of, 'Available')?.status).toBe('True');
  edit(of, { build: 'append' });
  settle(of);
  expect(verdict(of)).toBe('Building Building');
  expect(statusOf(of).build?.reason).toBeUndefined();
});

test('a remembered failure in words that are not in the table is a build that failed', () => {
  const of = world({ s3Key: key(1) });
  settle(of);
  failBuild(of);
  settle(of);
  const { build, ...status } = statusOf(of);
  of.parent = { ...of.parent, status: { ...status, build: { ...build, reason: 'Cosmic', message: 'rays' } } };
  of.children.clear();
  settle(of);
  expect(verdict(of)).toBe('Failed BuildFailed');
  expect(statusOf(of).message).toBe('rays');
});

test('a rebuild that was taken back and is asked for again is a build and no loss', () => {
  const of = world();
  deploy(of, 1);
  annotate(of, { 'sless.dev/rebuild': 'r1' });
  settle(of);
  settle(of);
  const { metadata } = of.parent;
  of.parent = { ...of.parent, metadata: { ...metadata, annotations: {} } };
  settle(of);
  expect(kinds(of)).toEqual(['Deployment', 'Service']);
  annotate(of, { 'sless.dev/rebuild': 'r1' });
  settle(of);
  expect(verdict(of)).toBe('Building Building');
});

test('what was tried until its tries were used up says so, and what to do', () => {
  const told = (reason: string) => ({
    'sless.dev/report': JSON.stringify({ reason, message: 'status code 503' }),
  });
  for (const [reason, what] of [
    ['RegistryUnavailable', 'the registry'],
    ['SourceUnavailable', 'the object store'],
  ] as const) {
    const of = world({ s3Key: key(1) });
    settle(of);
    const conditions = [{ type: 'Failed', status: 'True', reason: 'BackoffLimitExceeded' }];
    report(of, 'Job', { conditions }, told(reason));
    settle(of);
    expect(verdict(of)).toBe(`Failed ${reason}`);
    for (const words of ['used up', 'rebuild', what, 'status code 503'])
      expect(statusOf(of).message).toContain(words);
  }
});
