import { expect, test } from 'vitest';
import { settle } from '../../../test/hooks/loop.ts';
import { deploy, finishBuild, report, rollOut } from '../../../test/hooks/played.ts';
import {
  annotate,
  childOf,
  edit,
  imageOf,
  key,
  statusOf,
  verdict,
  type World,
  world,
} from '../../../test/hooks/world.ts';

/** The new pod of a rollout ends again and again, and the old ones take the calls. */
function crash(of: World): void {
  const deployment = childOf(of, 'Deployment');
  const { image = '' } = statusOf(of);
  report(
    of,
    'Deployment',
    {
      observedGeneration: deployment?.metadata.generation,
      replicas: 2,
      updatedReplicas: 1,
      readyReplicas: 1,
      availableReplicas: 1,
      conditions: [{ type: 'Progressing', status: 'True', reason: 'ReplicaSetUpdated' }],
    },
    { 'sless.dev/report': JSON.stringify({ reason: 'CrashLoop', message: 'boom', image }) },
  );
}

/** Builds a version that does not start. */
function deployBroken(of: World, version: number): void {
  edit(of, { s3Key: key(version) });
  settle(of);
  finishBuild(of, `sha256:${String(version).repeat(64).slice(0, 64)}`);
  settle(of);
  crash(of);
  settle(of);
}

const served = (of: World) =>
  statusOf(of).history?.map((entry) => (entry.served === true ? entry.key : `${entry.key} never`));

test('a version that never took a call is told from those that did, and the one before goes on serving', () => {
  const of = world();
  deploy(of, 1);
  const serving = statusOf(of).serving;
  expect(serving).toEqual({ key: key(1), image: imageOf(of) });
  deployBroken(of, 2);
  expect(verdict(of)).toBe('Deploying CrashLoop');
  expect(statusOf(of).image).not.toBe(serving?.image);
  expect(statusOf(of).serving).toEqual(serving);
  expect(served(of)).toEqual([`${key(2)} never`, key(1)]);

  deploy(of, 3);
  edit(of, { s3Key: key(1) });
  settle(of);
  rollOut(of);
  settle(of);
  expect(statusOf(of).serving).toEqual(serving);
  deployBroken(of, 4);
  expect(statusOf(of).serving).toEqual(serving);
  expect(served(of)).toEqual([`${key(4)} never`, key(3), `${key(2)} never`, key(1)]);
});

test('a version serves with its first pod, before the rollout is over', () => {
  const of = world({ replicas: 3 });
  deploy(of, 1);
  edit(of, { s3Key: key(2) });
  settle(of);
  finishBuild(of, `sha256:${'2'.repeat(64)}`);
  settle(of);
  const observedGeneration = childOf(of, 'Deployment')?.metadata.generation;
  const counts = { observedGeneration, replicas: 4, updatedReplicas: 1, readyReplicas: 3 };
  report(of, 'Deployment', { ...counts, availableReplicas: 3 });
  settle(of);
  expect(statusOf(of).serving?.key).toBe(key(1));
  report(of, 'Deployment', { ...counts, readyReplicas: 4, availableReplicas: 4 });
  settle(of);
  expect(verdict(of)).toBe('Deploying Deploying');
  expect(statusOf(of).serving?.key).toBe(key(2));
  expect(served(of)).toEqual([key(2), key(1)]);
});

test('the version that serves stays in the history, however many came after it that never did', () => {
  const of = world();
  deploy(of, 1);
  for (let version = 2; version <= 15; version += 1) deployBroken(of, version);
  expect(statusOf(of).history).toHaveLength(10);
  expect(statusOf(of).history?.at(-1)).toMatchObject({ key: key(1), served: true });
});

test('what served last is remembered while the function is stopped, and found again where status was lost', () => {
  const of = world();
  deploy(of, 1);
  edit(of, { replicas: 0 });
  settle(of);
  rollOut(of);
  settle(of);
  expect(verdict(of)).toBe('Ready Stopped');
  expect(statusOf(of).serving?.key).toBe(key(1));
  const { status: _, ...parent } = of.parent;
  of.parent = parent;
  edit(of, { replicas: 1 });
  settle(of);
  expect(statusOf(of).serving).toBeUndefined();
  rollOut(of);
  settle(of);
  expect(statusOf(of).serving?.key).toBe(key(1));
  expect(served(of)).toEqual([key(1)]);
});

/** Rebuilds the key that serves; the new image does not start. */
function rebuildBroken(of: World, rebuild: string, digit: string): void {
  annotate(of, { 'sless.dev/rebuild': rebuild });
  settle(of);
  finishBuild(of, `sha256:${digit.repeat(64)}`);
  settle(of);
  crash(of);
  settle(of);
}

test('a build that serves stays beside a rebuild of its key until that serves', () => {
  const of = world();
  deploy(of, 1);
  rebuildBroken(of, 'r1', '8');
  expect(served(of)).toEqual([`${key(1)} never`, key(1)]);
  rebuildBroken(of, 'r2', '9');
  expect(served(of)).toEqual([`${key(1)} never`, key(1)]);
  rollOut(of);
  settle(of);
  expect(served(of)).toEqual([key(1)]);
  expect(imageOf(of)).toContain('9'.repeat(64));
});

test.each([undefined, 'r0'])(
  'who takes a rebuild back that does not start goes back to what serves: %s',
  (before) => {
    const of = world();
    annotate(of, before === undefined ? {} : { 'sless.dev/rebuild': before });
    deploy(of, 1);
    const good = imageOf(of);
    rebuildBroken(of, 'r1', '8');
    expect(imageOf(of)).not.toBe(good);
    annotate(of, { 'sless.dev/rebuild': before ?? null });
    settle(of);
    expect(imageOf(of)).toBe(good);
    rollOut(of);
    settle(of);
    expect(verdict(of)).toBe('Ready Ready');
    expect(served(of)).toEqual([key(1)]);
    expect(of.jobsMade).toHaveLength(2);
    annotate(of, { 'sless.dev/rebuild': 'r1' });
    settle(of);
    expect(verdict(of)).toBe('Building Building');
  },
);

test('a rebuild that serves stays when its annotation is taken away', () => {
  const of = world();
  deploy(of, 1);
  annotate(of, { 'sless.dev/rebuild': 'r1' });
  settle(of);
  finishBuild(of, `sha256:${'8'.repeat(64)}`);
  settle(of);
  rollOut(of);
  settle(of);
  annotate(of, { 'sless.dev/rebuild': null });
  settle(of);
  expect(imageOf(of)).toContain('8'.repeat(64));
});
