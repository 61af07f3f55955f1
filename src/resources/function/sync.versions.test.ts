import { expect, test } from 'vitest';
import { ask, settle } from '../../../test/hooks/loop.ts';
import { deploy, failBuild, finishBuild, rollOut } from '../../../test/hooks/played.ts';
import { catalogue, FUNCTION_SETTINGS } from '../../../test/hooks/settings.ts';
import {
  annotate,
  childOf,
  conditionOf,
  DIGEST,
  edit,
  imageOf,
  key,
  kinds,
  statusOf,
  verdict,
  world,
} from '../../../test/hooks/world.ts';

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
  rollOut(of);
  settle(of);
  expect(statusOf(of).history).toHaveLength(1);
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

test('status says the limits that the pods were given, and not those of a spec that has not reached them', () => {
  const of = world({ timeoutSeconds: 30, concurrency: 5 });
  deploy(of, 1);
  const given = { timeoutSeconds: 30, concurrency: 5 };
  expect(statusOf(of)).toMatchObject(given);
  const other = { timeoutSeconds: 600, concurrency: 50 };
  edit(of, { ...other, s3Key: key(2) });
  settle(of);
  expect(statusOf(of)).toMatchObject(given);
  failBuild(of);
  settle(of);
  expect(statusOf(of)).toMatchObject(given);
  edit(of, { replicas: -1 });
  settle(of);
  expect(statusOf(of)).toMatchObject({ ...given, phase: 'Failed' });
  edit(of, { replicas: 1, s3Key: key(1) });
  settle(of);
  expect(statusOf(of)).toMatchObject(other);
});

test('a version that does not start brings no lower limits upon the one before it; one that is rolled out does', () => {
  const of = world({ timeoutSeconds: 300, concurrency: 50 });
  deploy(of, 1);
  const given = { timeoutSeconds: 300, concurrency: 50 };
  const lower = { timeoutSeconds: 10, concurrency: 1 };
  edit(of, { ...lower, s3Key: key(2) });
  settle(of);
  finishBuild(of);
  settle(of);
  expect(statusOf(of)).toMatchObject({ ...given, phase: 'Deploying' });
  rollOut(of);
  settle(of);
  expect(statusOf(of)).toMatchObject({ ...lower, phase: 'Ready' });
});

test('a lower limit alone waits for the pods that carry it, a higher one does not', () => {
  const of = world({ timeoutSeconds: 30, concurrency: 50 });
  deploy(of, 1);
  edit(of, { timeoutSeconds: 600, concurrency: 1 });
  settle(of);
  expect(statusOf(of)).toMatchObject({ timeoutSeconds: 600, concurrency: 50 });
  rollOut(of);
  settle(of);
  expect(statusOf(of)).toMatchObject({ timeoutSeconds: 600, concurrency: 1 });
});
