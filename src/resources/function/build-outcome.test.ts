import { describe, expect, test } from 'vitest';
import { ERRORS } from '../../errors.ts';
import { buildOutcome } from './build-outcome.ts';

const DIGEST = `sha256:${'ab'.repeat(32)}`;
const TIME = '2026-03-01T12:00:00Z';
const job = (conditions: readonly object[], report?: object, completionTime?: string) => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: {
    name: 'hello-b-1',
    ...(report === undefined ? {} : { annotations: { 'sless.dev/report': JSON.stringify(report) } }),
  },
  status: { conditions, ...(completionTime === undefined ? {} : { completionTime }) },
});
const holds = (type: string, more: object = {}) => ({ type, status: 'True', ...more });

describe('a build is complete', () => {
  const pushed = { digest: DIGEST, finishedAt: TIME };

  test('with the digest that its last step has told, whatever its Job says yet', () => {
    const complete = { state: 'complete', completedAt: TIME, digest: DIGEST };
    expect(buildOutcome(job([], pushed))).toEqual(complete);
    const later = '2026-03-01T12:00:03Z';
    expect(buildOutcome(job([holds('Complete')], pushed, later))).toEqual(complete);
    // The deadline came between the push and the controller's next look.
    expect(buildOutcome(job([holds('Failed', { reason: 'DeadlineExceeded' })], pushed))).toEqual(complete);
  });

  test('with its Job, when nobody has told when it was done', () => {
    expect(buildOutcome(job([], { digest: DIGEST }))).toEqual({ state: 'running' });
    expect(buildOutcome(job([holds('Complete')], { digest: DIGEST }, TIME))).toEqual({
      state: 'complete',
      completedAt: TIME,
      digest: DIGEST,
    });
    expect(buildOutcome(job([holds('Complete')], undefined, TIME))).toMatchObject({ digest: undefined });
  });

  test('and a report that is not well formed is none', () => {
    for (const report of [
      { digest: 'sha256:1', finishedAt: TIME },
      { digest: DIGEST, finishedAt: 'now' },
    ])
      expect(buildOutcome(job([], report))).toEqual({ state: 'running' });
  });
});

test.each([
  ['DeadlineExceeded', '', 'BuildTimedOut'],
  ['PodFailurePolicy', 'Container fetch for pod ns/p failed with exit code 65 matching', 'SourceUnavailable'],
  ['PodFailurePolicy', 'Container build for pod ns/p failed with exit code 137 matching', 'BuildOutOfMemory'],
  ['BackoffLimitExceeded', 'Job has reached the specified backoff limit', 'BuildFailed'],
])('a Job that failed with %s (%j) without a report is %s', (reason, message, wanted) => {
  expect(buildOutcome(job([holds('Failed', { reason, message })]))).toMatchObject({
    state: 'failed',
    reason: wanted,
  });
});

test('a build that never had a pod says so, and not that it was slow', () => {
  const late = holds('Failed', {
    reason: 'DeadlineExceeded',
    message: 'Job was active longer than specified deadline',
  });
  const waited = buildOutcome(job([late]));
  expect(waited).toMatchObject({ state: 'failed', reason: 'BuildTimedOut' });
  expect(waited).toHaveProperty(
    'message',
    expect.stringContaining('waited for its pod until its time was up: a quota'),
  );
  const ran = job([late]);
  const slow = buildOutcome({ ...ran, status: { ...ran.status, failed: 1 } });
  expect(slow).toHaveProperty('message', 'the build took longer than buildTimeoutSeconds');
});

test('what the reporter says of a failure counts before the words of the Job', () => {
  const report = { reason: 'RegistryRefused', message: 'the step push failed: DENIED' };
  expect(buildOutcome(job([holds('Failed', { reason: 'BackoffLimitExceeded' })], report))).toEqual({
    state: 'failed',
    ...report,
  });
});

test('a build that failed never says that time will mend it: nobody tries it again', () => {
  const reasons = Object.keys(ERRORS).map((reason) => {
    const outcome = buildOutcome(job([holds('Failed')], { reason, message: 'it said' }));
    return outcome.state === 'failed' ? outcome.reason : 'BuildFailed';
  });
  expect(reasons.filter((reason) => ERRORS[reason].actor === 'time')).toEqual([]);
});

test('an image that is absent is told with what to do about it', () => {
  const report = { reason: 'ImagePullFailed', message: 'registry.example.com/runtime:v1: not found' };
  expect(buildOutcome(job([holds('Failed')], report))).toMatchObject({
    reason: 'ImagePullFailed',
    message: expect.stringMatching(/rebuild or upload again.*runtime:v1: not found/),
  });
});
