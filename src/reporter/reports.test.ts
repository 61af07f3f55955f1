import { expect, test } from 'vitest';
import { reportSchema } from '../resources/kube/report.ts';
import { buildReport } from './build-report.ts';
import { ownerOf } from './owner.ts';
import { asPod, type ContainerStatus } from './pod.ts';
import { serverReport } from './server-report.ts';

const pod = (status: object, metadata: object = {}) =>
  asPod({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'p', namespace: 'ns', ...metadata },
    spec: { containers: [{ name: 'function', image: 'registry/f@sha256:1' }] },
    status,
  });
const server = (container: Partial<ContainerStatus>) =>
  pod({ containerStatuses: [{ name: 'function', ...container }] });
const ended = (exitCode: number, message?: string, reason = 'Error') => ({
  terminated: { exitCode, reason, ...(message === undefined ? {} : { message }) },
});

test.each([
  ['no status yet', pod({})],
  ['on its way', server({ ready: false, state: { waiting: { reason: 'ContainerCreating' } } })],
  ['running, not ready yet', server({ ready: false, state: { running: {} } })],
  ['ready after an earlier crash', server({ ready: true, state: { running: {} }, lastState: ended(1) })],
])('a server pod that is %s gives nothing to report', (_state, subject) => {
  expect(serverReport(subject)).toBeUndefined();
});

test.each([
  ['ErrImagePull', 'ImagePullFailed'],
  ['ImagePullBackOff', 'ImagePullFailed'],
  ['CreateContainerConfigError', 'ContainerConfigInvalid'],
])('a server pod that waits for %s has the reason %s', (word, reason) => {
  const report = serverReport(
    server({ ready: false, state: { waiting: { reason: word, message: 'secret "fn-a" not found' } } }),
  );
  expect(report).toEqual({
    reason,
    message: `the container waits (${word}): secret "fn-a" not found`,
    container: 'function',
    image: 'registry/f@sha256:1',
  });
});

test('a crash is told with its exit code and last lines, and in the same words while it is tried again', () => {
  const trace = ended(1, 'Traceback\nImportError: no module named x');
  const between = serverReport(
    server({ ready: false, state: { waiting: { reason: 'CrashLoopBackOff' } }, lastState: trace }),
  );
  expect(between).toMatchObject({ reason: 'CrashLoop', exitCode: 1, container: 'function' });
  expect(between?.message).toMatch(/exit code 1.*ImportError/s);
  expect(serverReport(server({ ready: false, state: { running: {} }, lastState: trace }))).toEqual(between);
  expect(serverReport(server({ ready: false, state: trace }))).toEqual(between);
});

test('a kill for memory is told as such', () => {
  const report = serverReport(server({ ready: false, state: ended(137, undefined, 'OOMKilled') }));
  expect(report).toMatchObject({ reason: 'OutOfMemory', exitCode: 137 });
});

test('a pod that is being deleted says nothing', () => {
  const deletion = { deletionTimestamp: '2026-01-01T00:00:00Z' };
  const failing = { containerStatuses: [{ name: 'function', ready: false, state: ended(1) }] };
  expect(serverReport(pod(failing, deletion))).toBeUndefined();
  expect(buildReport(pod({ ...failing, phase: 'Failed' }, deletion))).toBeUndefined();
});

test('an output of any length leaves a report that its schema takes, its last lines kept', () => {
  for (const text of ['x'.repeat(10_000), '😀'.repeat(3000), `a${'😀'.repeat(3000)}`]) {
    const report = serverReport(server({ ready: false, state: ended(1, `${text}THE END`) }));
    expect(reportSchema.safeParse(report).success).toBe(true);
    expect(report?.message).toMatch(/THE END$/);
    expect(report?.message?.isWellFormed()).toBe(true);
  }
});

const digest = `sha256:${'a'.repeat(64)}`;
const build = (phase: string, init: object, main: object) =>
  pod({
    phase,
    initContainerStatuses: [
      { name: 'fetch', state: init },
      { name: 'build', state: init },
    ],
    containerStatuses: [{ name: 'push', state: main }],
  });

test('a build tells the digest that its last step wrote', () => {
  const main = ended(0, `registry:5000/sless/ns/f@${digest}\n`, 'Completed');
  expect(buildReport(build('Succeeded', ended(0), main))).toEqual({ digest });
  expect(buildReport(build('Succeeded', ended(0), ended(0, 'no digest')))).toBeUndefined();
  expect(buildReport(build('Running', ended(0), { running: {} }))).toBeNull();
});

test.each([
  ['fetch', 1, 'Error', 'connection refused', 'SourceUnavailable'],
  ['build', 1, 'Error', 'No matching distribution found for nope', 'BuildFailed'],
  ['build', 137, 'OOMKilled', '', 'BuildOutOfMemory'],
  ['push', 1, 'Error', 'PUT https://r/v2: UNAUTHORIZED: authentication required', 'RegistryRefused'],
  ['push', 1, 'Error', 'dial tcp 10.0.0.1:5000: connection refused', 'RegistryUnavailable'],
])(
  'a failure of the step %s with %i (%s, %j) has the reason %s',
  (name, exitCode, reason, message, wanted) => {
    const state = { terminated: { exitCode, reason, message } };
    const report = buildReport(pod({ phase: 'Failed', containerStatuses: [{ name, state }] }));
    expect(report).toMatchObject({ reason: wanted, container: name, exitCode });
    expect(report?.message).toContain(message);
  },
);

test('a build that took too long is told as that, however its container ended', () => {
  const killed = { ...build('Failed', ended(137), { waiting: {} }) };
  expect(
    buildReport(asPod({ ...killed, status: { ...killed.status, reason: 'DeadlineExceeded' } })),
  ).toMatchObject({
    reason: 'BuildTimedOut',
  });
});

test('the owner of a pod is its Job, or the Deployment behind its ReplicaSet', () => {
  const owned = (kind: string, name: string, labels = {}) =>
    ownerOf(
      pod({}, { labels, ownerReferences: [{ apiVersion: 'x', kind, name, uid: 'u', controller: true }] }),
    );
  expect(owned('Job', 'b-1')).toMatchObject({ kind: { kind: 'Job' }, namespace: 'ns', name: 'b-1' });
  expect(owned('Deployment', 'hello')).toMatchObject({ kind: { kind: 'Deployment' }, name: 'hello' });
  const label = { 'pod-template-hash': '7d9c' };
  expect(owned('ReplicaSet', 'hello-world-7d9c', label)).toMatchObject({
    kind: { kind: 'Deployment' },
    name: 'hello-world',
  });
  expect(owned('ReplicaSet', 'hello-other', label)).toBeUndefined();
  expect(owned('StatefulSet', 'hello')).toBeUndefined();
  expect(ownerOf(pod({}))).toBeUndefined();
});
