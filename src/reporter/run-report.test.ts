import { expect, test } from 'vitest';
import { reportSchema } from '../resources/kube/report.ts';
import { findingOf } from './finding.ts';
import { asPod } from './pod.ts';
import { cronReport, jobReport } from './run-report.ts';

const pod = (state: object, status: object = {}, container = 'function') =>
  asPod({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'p', namespace: 'ns' },
    spec: {},
    status: { containerStatuses: [{ name: container, state }], ...status },
  });
const ended = (exitCode: number, message?: string, reason = 'Error') =>
  pod({ terminated: { exitCode, reason, finishedAt: '2026-01-02T03:04:05Z', message } });

test('a run that ended well has its result, and no more of it than an annotation may hold', () => {
  expect(jobReport(ended(0, '{"ok":true}'))).toEqual({
    exitCode: 0,
    finishedAt: '2026-01-02T03:04:05Z',
    result: '{"ok":true}',
  });
  expect(jobReport(ended(0))).toEqual({ exitCode: 0, finishedAt: '2026-01-02T03:04:05Z' });
  const full = jobReport(ended(0, 'x'.repeat(4096)));
  expect(reportSchema.parse(full).result).toHaveLength(4096);
});

test.each([
  [
    'its own error',
    ended(1, '{"error":"Error: boom","code":"FunctionError"}'),
    'FunctionError',
    /^Error: boom$/,
  ],
  [
    'the time limit',
    ended(1, '{"error":"too long","code":"FunctionTimeout"}'),
    'FunctionTimeout',
    /too long/,
  ],
  [
    'an answer of 400 and more',
    ended(1, '{"statusCode":500,"body":"no"}'),
    'FunctionError',
    /answered that it failed/,
  ],
  [
    'a module that does not load',
    ended(1, 'Traceback\nImportError: x'),
    'FunctionError',
    /exit code 1: Traceback/,
  ],
  ['memory', ended(137, 'some output', 'OOMKilled'), 'OutOfMemory', /more memory/],
  ['a kill', ended(137), 'FunctionError', /killed/],
  [
    'a code of no table',
    ended(1, '{"error":"x","code":"Other"}'),
    'FunctionError',
    /answered that it failed/,
  ],
  ['an image', pod({ waiting: { reason: 'ErrImagePull', message: 'm' } }), 'ImagePullFailed', /ErrImagePull/],
  [
    'an eviction',
    pod({}, { conditions: [{ type: 'DisruptionTarget', status: 'True' }] }),
    'FunctionError',
    /taken from its node/,
  ],
])('a run that failed by %s says so', (_, subject, reason, message) => {
  const report = reportSchema.parse(jobReport(subject));
  expect(report.reason).toBe(reason);
  expect(report.message).toMatch(message);
});

test('a container that others have put beside a run does not speak for it', () => {
  const beside = { name: 'mesh', state: { terminated: { exitCode: 0, message: 'bye' } } };
  const together = (own: object, name = 'function') =>
    pod({}, { containerStatuses: [beside, { name, state: own }] });
  const failed = { terminated: { exitCode: 1, message: 'Traceback' } };
  expect(jobReport(together({ running: {} }))).toBeUndefined();
  expect(jobReport(together(failed))).toMatchObject({ reason: 'FunctionError', exitCode: 1 });
  expect(cronReport(together({ running: {} }, 'call'))).toBeUndefined();
  expect(cronReport(together({ terminated: { exitCode: 28 } }, 'call'))).toMatchObject({
    reason: 'FunctionTimeout',
  });
});

test('secrets that are known by their form are left out of an error', () => {
  const report = jobReport(
    ended(1, '{"error":"cannot reach amqp://user:pass@host/","code":"FunctionError"}'),
  );
  expect(report?.message).toBe('cannot reach amqp://…@host/');
});

test.each([
  [7, 'UpstreamUnreachable'],
  [22, 'FunctionError'],
  [28, 'FunctionTimeout'],
  [99, 'FunctionError'],
])("curl's exit code %i means %s", (exitCode, reason) => {
  const terminated = { exitCode, message: `curl: (${exitCode}) words` };
  const report = cronReport(pod({ terminated }, {}, 'call'));
  expect(report).toMatchObject({ reason, exitCode });
  expect(report?.message).toContain(`curl: (${exitCode}) words`);
});

test('the newest pod speaks for a run, and what was said stands when the pods are gone', async () => {
  const at = (time: string, of: ReturnType<typeof pod>) => ({
    ...of,
    metadata: { ...of.metadata, name: time, creationTimestamp: time },
  });
  const failed = at('2026-01-02T03:04:05Z', ended(1, '{"error":"x","code":"FunctionError"}'));
  const well = at('2026-01-02T03:05:05Z', ended(0, '1'));
  expect(await findingOf('job', [well, failed], undefined)).toMatchObject({ result: '1' });
  expect(await findingOf('job', [failed, at('2026-01-02T03:05:05Z', pod({}))], undefined)).toMatchObject({
    message: 'x',
  });
  expect(await findingOf('job', [], undefined)).toBeUndefined();
});
