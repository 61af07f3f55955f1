import fc from 'fast-check';
import { expect, test } from 'vitest';
import { nextStep, podCount, type RolloutPod } from './rollout.ts';

const pod = (hash: string, ready: boolean, createdAt = 0) => ({ hash, ready, createdAt });
const rollout = (replicas: number, pods: readonly RolloutPod[]) => ({
  hash: 'new',
  replicas,
  maxSurge: 1,
  maxUnavailable: 0,
  pods,
});

test('the first rollout starts all replicas at once, within the surge', () => {
  expect(nextStep(rollout(3, []))).toEqual({ start: 3, stop: [] });
});

test('a new version starts one more and ends no ready one before that is ready', () => {
  const old = [pod('old', true), pod('old', true)];
  expect(nextStep(rollout(2, old))).toEqual({ start: 1, stop: [] });
  expect(nextStep(rollout(2, [...old, pod('new', false)]))).toEqual({ start: 0, stop: [] });
  expect(nextStep(rollout(2, [...old, pod('new', true)]))).toEqual({ start: 0, stop: [old[0]] });
});

test('a version that never gets ready leaves the old one alone', () => {
  expect(nextStep(rollout(1, [pod('old', true), pod('new', false)]))).toEqual({ start: 0, stop: [] });
});

test('an old pod that is not ready goes first, so that it does not stand in the way of the next version', () => {
  const broken = pod('broken', false);
  expect(nextStep(rollout(1, [pod('old', true), broken]))).toEqual({ start: 0, stop: [broken] });
});

test('while the new version is not ready, so many old pods stay as are wanted, ready or not: the oldest', () => {
  const good = pod('good', false, 1);
  expect(nextStep(rollout(1, [good, pod('new', false, 3)]))).toEqual({ start: 0, stop: [] });
  const broken = pod('broken', false, 2);
  expect(nextStep(rollout(1, [good, broken]))).toEqual({ start: 0, stop: [broken] });
  expect(nextStep(rollout(1, [good, pod('new', true, 3)]))).toEqual({ start: 0, stop: [good] });
});

test('going back to a template whose pods still run starts nothing', () => {
  const broken = pod('broken', false);
  expect(nextStep(rollout(1, [pod('new', true), broken]))).toEqual({ start: 0, stop: [broken] });
});

test('fewer replicas end what is not ready, then the youngest', () => {
  const pods = [pod('new', true, 1), pod('new', false, 2), pod('new', true, 3)];
  expect(nextStep(rollout(1, pods)).stop).toEqual([pods[1], pods[2]]);
});

test('no replicas end all', () => {
  const pods = [pod('new', true), pod('old', true), pod('old', false)];
  expect(new Set(nextStep(rollout(0, pods)).stop)).toEqual(new Set(pods));
});

test.each([
  [1, 5, 'up', 1],
  ['25%', 1, 'up', 1],
  ['25%', 5, 'up', 2],
  ['25%', 5, 'down', 1],
  ['25%', 1, 'down', 0],
  ['100%', 3, 'down', 3],
  ['0%', 3, 'up', 0],
] as const)('%s of %i, rounded %s, are %i', (value, replicas, round, count) => {
  expect(podCount(value, replicas, round)).toBe(count);
});

test('from any state, steps never fall below the ready ones that were wanted and had been there, and reach the goal', () => {
  const anyPod = fc.record({
    hash: fc.constantFrom('new', 'old', 'older'),
    ready: fc.boolean(),
    createdAt: fc.nat(9),
  });
  fc.assert(
    fc.property(fc.array(anyPod, { maxLength: 8 }), fc.nat(4), (start, replicas) => {
      let pods: RolloutPod[] = start;
      for (let round = 0; round < 30; round++) {
        const readyBefore = pods.filter((one) => one.ready).length;
        const step = nextStep(rollout(replicas, pods));
        pods = pods.filter((one) => !step.stop.includes(one));
        expect(pods.filter((one) => one.ready).length).toBeGreaterThanOrEqual(
          Math.min(replicas, readyBefore),
        );
        if (step.start > 0)
          expect(pods.length + step.start).toBeLessThanOrEqual(Math.max(start.length, replicas + 1));
        pods = [...pods, ...Array.from({ length: step.start }, () => pod('new', false, round))];
        pods = pods.map((one) => (one.hash === 'new' ? { ...one, ready: true } : one));
      }
      expect(pods).toHaveLength(replicas);
      expect(pods.every((one) => one.hash === 'new')).toBe(true);
    }),
  );
});
