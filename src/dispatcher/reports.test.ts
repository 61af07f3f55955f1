import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { silentLogger } from '../../test/contracts/silent-logger.ts';
import { SlessError } from '../errors.ts';
import type { KubeObject } from '../resources/kube/object.ts';
import { createReport } from './reports.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const configMap = (state?: object): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: {
    name: 'orders-c-1',
    namespace: 'team',
    ...(state && {
      annotations: {
        'sless.dev/consumer-state': JSON.stringify({ since: '2026-01-01T00:00:00Z', ...state }),
      },
    }),
  },
});

function open(first = configMap()) {
  const written: { connected: boolean; reason?: string }[] = [];
  const state: { fault: Error | undefined } = { fault: undefined };
  const patch = async (_ref: unknown, change: Readonly<Record<string, unknown>>): Promise<KubeObject> => {
    if (state.fault !== undefined) throw state.fault;
    const { annotations } = change.metadata as { annotations: Record<string, string> };
    written.push(JSON.parse(annotations['sless.dev/consumer-state'] ?? ''));
    return first;
  };
  const monotonic = { now: () => Date.now() };
  const report = createReport({ cluster: { patch }, clock: Date, monotonic, logger: silentLogger }, first);
  return { report, written, state, wait: (ms: number) => vi.advanceTimersByTimeAsync(ms) };
}

const MISSING = { connected: false, reason: 'QueueNotFound', message: 'there is no queue q' };
const WELL = { connected: true };

test('a change is written at once, the same again never', async () => {
  const { report, written, wait } = open();
  report.say(undefined);
  report.say(MISSING);
  await wait(10);
  for (let i = 0; i < 5; i += 1) report.say(MISSING);
  await wait(60_000);
  expect(written).toEqual([{ ...MISSING, since: expect.stringMatching(/^\d{4}-.*Z$/) }]);
});

test('a state that comes and goes is told when it stays', async () => {
  const { report, written, wait } = open();
  report.say(WELL);
  await wait(10);
  for (let i = 0; i < 50; i += 1) {
    report.say(i % 2 === 0 ? MISSING : WELL);
    await wait(10);
  }
  await wait(10_000);
  expect(written.length).toBeLessThanOrEqual(3);
  expect(written.at(-1)).toMatchObject(WELL);
});

test('what cannot be written is written later', async () => {
  const { report, written, state, wait } = open();
  state.fault = new SlessError('Unavailable', 'away');
  report.say(WELL);
  await wait(20_000);
  state.fault = undefined;
  await wait(5000);
  expect(written).toMatchObject([WELL]);
});

test('a consumer that works corrects what another left; one that does not leaves it', async () => {
  const { report, written, wait } = open();
  report.say(WELL);
  await wait(10);
  report.seen(configMap({ ...MISSING }));
  await wait(11_000);
  expect(written).toMatchObject([WELL, WELL]);
  report.say(MISSING);
  await wait(5000);
  report.seen(configMap({ ...WELL }));
  await wait(60_000);
  expect(written.length).toBe(3);
});

test('what the ConfigMap says already is not written again', async () => {
  const { report, written, wait } = open(configMap(WELL));
  report.say(WELL);
  await wait(60_000);
  expect(written).toEqual([]);
});
