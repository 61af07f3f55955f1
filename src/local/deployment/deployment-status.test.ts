import { expect, test } from 'vitest';
import { asDeployment } from './deployment-spec.ts';
import { deploymentStatus, lastProgress, MAX_LOCAL_PODS } from './deployment-status.ts';
import { templateHash } from './template-hash.ts';

const deployment = (replicas: number, status: object = {}) =>
  asDeployment({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'hello', namespace: 'ns', generation: 4 },
    spec: { replicas, progressDeadlineSeconds: 60, strategy: {}, template: { spec: { containers: [] } } },
    status,
  });
const pod = (hash: string, ready: boolean) => ({ hash, ready, createdAt: 0 });
const NOW = 1_700_000_000_000;
const status = (replicas: number, pods: ReturnType<typeof pod>[], changes: object = {}) =>
  deploymentStatus({
    deployment: deployment(replicas),
    hash: 'new',
    pods,
    progressAt: NOW,
    now: NOW,
    ...changes,
  });
const reasons = ({ conditions = [] }: ReturnType<typeof status>) =>
  conditions.map(({ status: holds, reason }) => `${holds} ${reason}`);

test('a rollout that is over: all counts, both conditions, the generation that was seen', () => {
  const over = status(2, [pod('new', true), pod('new', true)]);
  expect(over).toMatchObject({
    observedGeneration: 4,
    replicas: 2,
    updatedReplicas: 2,
    readyReplicas: 2,
    availableReplicas: 2,
  });
  expect(over).not.toHaveProperty('unavailableReplicas');
  expect(reasons(over)).toEqual(['True MinimumReplicasAvailable', 'True NewReplicaSetAvailable']);
});

test('a rollout under way counts old and new apart', () => {
  const under = status(1, [pod('old', true), pod('new', false)]);
  expect(under).toMatchObject({ replicas: 2, updatedReplicas: 1, readyReplicas: 1 });
  expect(reasons(under)).toEqual(['True MinimumReplicasAvailable', 'True ReplicaSetUpdated']);
});

test('no progress for too long is said, and what serves is still available', () => {
  const late = status(1, [pod('old', true), pod('new', false)], { progressAt: NOW - 60_000 });
  expect(reasons(late)).toEqual(['True MinimumReplicasAvailable', 'False ProgressDeadlineExceeded']);
});

test('when a rollout last got further is in its status, for the process after this one', () => {
  const at = NOW - 50_000;
  const under = status(1, [pod('new', false)], { progressAt: at });
  expect(lastProgress(deployment(1, under), 'new')).toBe(at);
  const late = status(1, [pod('new', false)], { progressAt: at, now: NOW + 60_000 });
  expect(lastProgress(deployment(1, late), 'new')).toBe(at);
  expect(lastProgress(deployment(1, under), 'newer')).toBeUndefined();
  expect(lastProgress(deployment(1, status(1, [pod('new', true)])), 'new')).toBeUndefined();
  expect(lastProgress(deployment(1), 'new')).toBeUndefined();
});

test('more pods than local mode runs are refused in words', () => {
  const { conditions = [] } = status(1_000_000_000, [pod('new', true)]);
  expect(conditions.find(({ type }) => type === 'ReplicaFailure')).toMatchObject({
    status: 'True',
    reason: 'FailedCreate',
    message: `local mode runs at most ${MAX_LOCAL_PODS} pods of one function, and 1000000000 are wanted`,
  });
  expect(status(MAX_LOCAL_PODS, []).conditions?.map(({ type }) => type)).not.toContain('ReplicaFailure');
});

test('zeros are left out', () => {
  expect(Object.keys(status(0, []))).toEqual(['observedGeneration', 'conditions']);
  expect(status(1, [])).toMatchObject({ unavailableReplicas: 1 });
});

test('a condition that says the same keeps its times', () => {
  const pods = [pod('new', true)];
  const first = status(1, pods);
  const again = status(1, pods, { deployment: deployment(1, first), now: NOW + 99_000 });
  expect(again).toEqual(first);
});

test('the hash of a template follows its content, not the order of its members', () => {
  const spec = { containers: [{ name: 'a', image: 'i' }] };
  expect(templateHash({ spec, metadata: { labels: { a: '1', b: '2' } } })).toBe(
    templateHash({
      metadata: { labels: { b: '2', a: '1' } },
      spec: { containers: [{ image: 'i', name: 'a' }] },
    }),
  );
  expect(templateHash({ spec })).not.toBe(
    templateHash({ spec: { containers: [{ name: 'a', image: 'j' }] } }),
  );
});
