import { expect, test } from 'vitest';
import { asPod, type Pod } from './pod.ts';
import { runRecords } from './run-record.ts';

const LABELS = {
  'sless.dev/function': 'hello',
  'sless.dev/function-job': 'nightly',
  'sless.dev/trigger': 'hourly',
};

function pod(number: number, terminated?: object, container = 'function'): Pod {
  return asPod({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: `run-${number}`,
      namespace: 'team',
      uid: `00000000-0000-4000-8000-00000000000${number}`,
      creationTimestamp: `2026-03-01T12:00:0${number}Z`,
      labels: LABELS,
    },
    status: {
      containerStatuses: [
        { name: 'beside', state: { terminated: ended(0) } },
        { name: container, state: terminated ? { terminated } : { running: {} } },
      ],
    },
  });
}
const ended = (exitCode: number, message = '') => ({
  exitCode,
  message,
  startedAt: '2026-03-01T12:00:00Z',
  finishedAt: '2026-03-01T12:00:02Z',
});

test('a run is an attempt a pod, with an id that everybody finds the same', () => {
  const error = JSON.stringify({ error: 'boom', code: 'FunctionTimeout' });
  const pods = [pod(2, ended(0)), pod(1, ended(1, error)), pod(3)];
  const records = runRecords('job', pods);
  expect(records).toEqual([
    expect.objectContaining({ attempt: 1, outcome: 'failed', reason: 'FunctionTimeout' }),
    {
      id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-5/),
      namespace: 'team',
      function: 'hello',
      trigger: 'job',
      triggerName: 'nightly',
      startedAt: Date.parse('2026-03-01T12:00:00Z'),
      durationMs: 2000,
      outcome: 'ok',
      bytesIn: 0,
      bytesOut: 0,
      attempt: 2,
    },
  ]);
  expect(runRecords('job', pods)).toEqual(records);
  expect(records[0]?.id).not.toBe(records[1]?.id);
});

test.each([
  [ended(22, 'curl: (22) The requested URL returned error: 503\n{}'), { outcome: 'error', status: 503 }],
  [ended(22, 'curl: (22) the answer was 404\nnothing'), { outcome: 'error', status: 404 }],
  [ended(28), { outcome: 'failed', reason: 'FunctionTimeout' }],
  [ended(7), { outcome: 'failed', reason: 'UpstreamUnreachable' }],
  [ended(0), { outcome: 'ok' }],
])('a call of cron that ends with %j is %j', (terminated, want) => {
  const [record] = runRecords('cron', [pod(1, terminated, 'call')]);
  expect(record).toMatchObject({ trigger: 'cron', triggerName: 'hourly', requestId: 'run-1', ...want });
});
