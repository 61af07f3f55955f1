import { expect, test } from 'vitest';
import { asJob, type FailureRule, isFinished } from './job-spec.ts';
import { activeStatus, completeStatus, type Failure, failedStatus, judgeFailure } from './job-status.ts';

const RULES: FailureRule[] = [
  { action: 'Ignore' },
  { action: 'FailJob', onExitCodes: { containerName: 'fetch', operator: 'In', values: [65, 77] } },
  { action: 'FailJob', onExitCodes: { containerName: 'build', operator: 'NotIn', values: [0] } },
];
const job = asJob({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name: 'b', namespace: 'ns' },
  spec: { backoffLimit: 2, podFailurePolicy: { rules: RULES }, template: { spec: { containers: [] } } },
});
const failure = (container: string, exitCode: number): Failure => ({
  container,
  pod: 'b-1',
  terminated: { exitCode, reason: 'Error', startedAt: '', finishedAt: '' },
});

test.each([
  ['build', 1, 2],
  ['build', 137, 2],
  ['fetch', 65, 1],
  ['fetch', 77, 1],
])('a failure of %s with %i ends the Job by rule %i', (container, exitCode, index) => {
  expect(judgeFailure(job, failure(container, exitCode), 1)).toEqual({
    reason: 'PodFailurePolicy',
    message: `Container ${container} for pod ns/b-1 failed with exit code ${exitCode} matching FailJob rule at index ${index}`,
  });
});

test('what no rule names is tried again until the limit is passed', () => {
  expect(judgeFailure(job, failure('fetch', 1), 1)).toBeUndefined();
  expect(judgeFailure(job, failure('push', 1), 2)).toBeUndefined();
  expect(judgeFailure(job, failure('push', 1), 3)).toMatchObject({ reason: 'BackoffLimitExceeded' });
});

test('a Job is finished once it is complete or failed, and not before', () => {
  const at = (status: object) => isFinished(asJob({ ...job, status }));
  expect(at(activeStatus(0, 1))).toBe(false);
  expect(at(completeStatus(0, 1000))).toBe(true);
  expect(at(failedStatus(0, 3, { reason: 'BackoffLimitExceeded', message: 'm', now: 1000 }))).toBe(true);
  expect(at({})).toBe(false);
});
