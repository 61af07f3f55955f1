import { expect, test } from 'vitest';
import { DEFINITIONS } from '../../resources/definitions.ts';
import type { KubeObject } from '../../resources/kube/object.ts';
import { valueAt } from './columns.ts';
import { ageOf, tableOf } from './table.ts';

const NOW = Date.parse('2026-01-02T00:00:00Z');
const hello: KubeObject = {
  apiVersion: 'sless.dev/v1alpha1',
  kind: 'Function',
  metadata: { name: 'hello', namespace: 'team', creationTimestamp: '2026-01-01T00:00:00Z' },
  spec: { runtime: 'python3.11' },
  status: {
    phase: 'Failed',
    message: 'exit code 1: boom\nTraceback',
    lastBuiltAt: '2026-01-01T23:55:00Z',
    image: 'local/sless/hello@sha256:0',
    conditions: [
      { type: 'Built', status: 'True' },
      { type: 'Available', status: 'False' },
    ],
  },
};
const empty: KubeObject = { ...hello, metadata: { name: 'a-longer-name' }, spec: {}, status: {} };

test('a function is shown with the columns of its definition, a message to the end of its first line', () => {
  const table = tableOf([hello, empty], { kind: 'Function', wide: false, now: NOW });
  expect(table).toBe(`NAME            RUNTIME      PHASE    AVAILABLE   IMAGE AGE   MESSAGE
hello           python3.11   Failed   False       5m          exit code 1: boom...
a-longer-name
`);
});

test('wide shows the columns of lower priority too', () => {
  const table = tableOf([hello], { kind: 'Function', wide: true, now: NOW });
  expect(table).toContain('IMAGE                        AGE');
  expect(table).toContain('local/sless/hello@sha256:0   1d');
});

test('of a kind without columns name and age are shown', () => {
  expect(tableOf([hello], { kind: 'Service', wide: false, now: NOW })).toBe('NAME    AGE\nhello   1d\n');
});

test.each([
  ['Running', '1/1', { phase: 'Running' }, { ready: true, state: { running: {} } }],
  ['Running', '0/1', { phase: 'Running' }, { state: { running: {} } }],
  ['CrashLoopBackOff', '0/1', { phase: 'Running' }, { state: { waiting: { reason: 'CrashLoopBackOff' } } }],
  ['ErrImagePull', '0/1', { phase: 'Pending' }, { state: { waiting: { reason: 'ErrImagePull' } } }],
  ['Error', '0/1', { phase: 'Failed' }, { state: { terminated: { exitCode: 1, reason: 'Error' } } }],
  [
    'Completed',
    '0/1',
    { phase: 'Succeeded' },
    { state: { terminated: { exitCode: 0, reason: 'Completed' } } },
  ],
])('a pod is shown as kubectl shows it: %s %s', (state, ready, status, container) => {
  const containerStatuses = [{ ready: false, restartCount: 3, ...container }];
  const spec = { containers: [{ name: 'function' }] };
  const pod = { ...hello, apiVersion: 'v1', kind: 'Pod', spec, status: { ...status, containerStatuses } };
  const [, line] = tableOf([pod], { kind: 'Pod', wide: false, now: NOW }).split('\n');
  expect(line?.split(/ +/)).toEqual(['hello', ready, state, '3', '1d']);
});

test('a pod that is new, one that is being deleted, and one whose init container goes on', () => {
  const pod = {
    ...hello,
    apiVersion: 'v1',
    kind: 'Pod',
    spec: { containers: [{}] },
    status: { phase: 'Pending' },
  };
  const word = (object: KubeObject) =>
    tableOf([object], { kind: 'Pod', wide: false, now: NOW }).split('\n')[1]?.split(/ +/)[2];
  expect(word(pod)).toBe('Pending');
  const metadata = { ...pod.metadata, deletionTimestamp: '2026-01-01T23:59:00Z' };
  expect(word({ ...pod, metadata })).toBe('Terminating');
  const init = (state: object) => ({
    ...pod,
    status: {
      phase: 'Pending',
      initContainerStatuses: [{ state }],
      containerStatuses: [{ restartCount: 0, state: { waiting: { reason: 'PodInitializing' } } }],
    },
  });
  expect(word(init({ waiting: { reason: 'ErrImagePull' } }))).toBe('Init:ErrImagePull');
  expect(word(init({ terminated: { exitCode: 1, reason: 'Error' } }))).toBe('Init:Error');
  expect(word(init({ terminated: { exitCode: 0, reason: 'Completed' } }))).toBe('PodInitializing');
});

test('every column of every definition can be read', () => {
  for (const { columns } of DEFINITIONS) {
    for (const { jsonPath } of columns) expect(() => valueAt(hello, jsonPath), jsonPath).not.toThrow();
  }
  expect(() => valueAt(hello, '.status..name')).toThrow('cannot be read from ..name');
});

test.each([
  [0, '0s'],
  [42, '42s'],
  [303, '5m3s'],
  [660, '11m'],
  [11_520, '3h12m'],
  [90_000, '1d1h'],
  [12 * 86_400 + 3600, '12d'],
])('%i seconds are %s', (seconds, shown) => {
  expect(ageOf(NOW - seconds * 1000, NOW)).toBe(shown);
});
