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

test('a digest is told as soon as the last step has ended, with the time of that', () => {
  const finishedAt = '2026-03-01T12:00:00Z';
  const main = { terminated: { exitCode: 0, reason: 'Completed', message: `r/f@${digest}`, finishedAt } };
  expect(buildReport(build('Running', ended(0), main))).toEqual({ digest, finishedAt });
});

test('of what crane says, the line that is an image by digest counts, and the last of them', () => {
  const other = `sha256:${'b'.repeat(64)}`;
  const output = [
    `2026/03/01 12:00:00 existing blob: ${other}`,
    `2026/03/01 12:00:00 r:5000/sless/ns/f:tag: digest: ${other} size: 1000`,
    `r:5000/sless/ns/f@${other}`,
    `r:5000/sless/ns/f@${digest}`,
    'bye',
  ].join('\n');
  expect(buildReport(build('Succeeded', ended(0), ended(0, output)))).toEqual({ digest });
});

const PIP = [
  'time="2026-03-01T12:00:00Z" level=info msg="Running: [/bin/sh -c pip install -r requirements.txt]"',
  'ERROR: No matching distribution found for nope',
  'error building image: error building stage: failed to execute command: waiting for process to exit: exit status 1',
].join('\n');
const KANIKO = 'level=info msg="Retrieving image manifest"\nerror building image: ';

test.each([
  ['fetch', 1, 'Error', 'connection refused', 'SourceUnavailable', 'connection refused'],
  ['push', 137, 'OOMKilled', '', 'BuildOutOfMemory', 'the step push'],
  ['push', 137, 'Error', '', 'BuildOutOfMemory', 'more memory'],
  ['push', 1, 'Error', 'a crash of Node', 'RegistryUnavailable', 'a crash of Node'],
  [
    'push',
    77,
    'Error',
    'x\nsless push: RegistryRefused: DENIED',
    'RegistryRefused',
    'into the registry: DENIED',
  ],
  [
    'push',
    69,
    'Error',
    'sless push: RegistryUnavailable: no such host',
    'RegistryUnavailable',
    'no such host',
  ],
  ['push', 66, 'Error', 'sless push: BuilderUnavailable: MANIFEST_UNKNOWN', 'BuilderUnavailable', 'MANIFEST'],
  ['push', 73, 'Error', 'sless push: ImageTooLarge: status code 413', 'ImageTooLarge', '413'],
  ['push', 65, 'Error', 'sless push: BuildFailed: no image (ELOOP)', 'BuildFailed', 'ELOOP'],
  ['base', 77, 'Error', 'sless base: RegistryRefused: DENIED', 'RegistryRefused', "runtime's image"],
  [
    'push',
    1,
    'Error',
    'sless base: RegistryRefused: a step of another name',
    'RegistryUnavailable',
    'another',
  ],
  ['build', 1, 'Error', PIP, 'BuildFailed', '(exit code 1): ERROR: No matching distribution found for nope'],
  [
    'build',
    1,
    'Error',
    `rforming slow lookup of group ids for function"\nCollecting nope\n${'.'.repeat(2000)}\n${PIP}`,
    'BuildFailed',
    '(exit code 1): ERROR: No matching distribution found for nope: …',
  ],
  [
    'build',
    1,
    'Error',
    'added 1 package\nnpm error code E404\nnpm error path /x\nnpm error 404 Not Found - nope@1\nnpm error A complete log is in /x',
    'BuildFailed',
    '(exit code 1): npm error 404 Not Found - nope@1: added 1 package',
  ],
  ['build', 3, 'Error', 'script words alone', 'BuildFailed', '(exit code 3): script words alone'],
  ['build', 137, 'OOMKilled', '', 'BuildOutOfMemory', 'the step build'],
  [
    'build',
    1,
    'Error',
    `${KANIKO}GET https://r/v2/: UNAUTHORIZED: no`,
    'RegistryRefused',
    'could not be pulled',
  ],
  [
    'build',
    1,
    'Error',
    `${KANIKO}MANIFEST_UNKNOWN: manifest unknown`,
    'BuilderUnavailable',
    'could not be pulled',
  ],
  ['build', 1, 'Error', `${KANIKO}dial tcp 10.0.0.1:5000: refused`, 'RegistryUnavailable', 'dial tcp'],
  ['build', 1, 'Error', `${KANIKO}write /x: no space left on device`, 'ImageTooLarge', 'no room left'],
  ['build', 1, 'Error', 'error pushing image: PUT x: DENIED: no', 'RegistryRefused', 'into the registry'],
  ['build', 1, 'Error', 'error pushing image: status code 503', 'RegistryUnavailable', 'into the registry'],
  ['build', 1, 'Error', `error pushing image\n${PIP}`, 'BuildFailed', 'No matching distribution'],
])(
  'a failure of the step %s with %i (%s, %j) has the reason %s',
  (name, exitCode, reason, message, wanted, words) => {
    const state = { terminated: { exitCode, reason, message } };
    const report = buildReport(pod({ phase: 'Failed', containerStatuses: [{ name, state }] }));
    expect(report).toMatchObject({ reason: wanted, container: name, exitCode });
    expect(report?.message).toContain(words);
  },
);

test('a build that took more disk than it may was put off its node for that', () => {
  const words = 'Usage of EmptyDir volume "work" exceeds the limit "4Gi". ';
  const evicted = { phase: 'Failed', reason: 'Evicted', message: words };
  expect(
    buildReport(pod({ ...evicted, initContainerStatuses: [{ name: 'build', state: ended(137) }] })),
  ).toEqual({
    reason: 'ImageTooLarge',
    message: `the build took more disk than it may: ${words.trim()}`,
  });
});

test('what kaniko has written as the digest counts like what crane says', () => {
  const state = { terminated: { exitCode: 0, reason: 'Completed', message: digest } };
  expect(buildReport(pod({ containerStatuses: [{ name: 'build', state }] }))).toEqual({ digest });
});

test.each([
  ['SourceUnavailable', 'Unavailable', 'the api cannot be reached: connect ECONNREFUSED'],
  ['SourceUnavailable', 'Forbidden', 'the token is not of a service account in ns'],
  ['SourceUnavailable', 'Unauthenticated', 'the token is not a good one'],
  ['NoSuchVersion', 'NoSuchVersion', 'there is nothing stored under contexts/ns/f/x.tar.gz'],
  ['InvalidArchive', 'InvalidArchive', 'the stored build context cannot be used: it is damaged'],
  ['ForbiddenSource', 'ForbiddenSource', 'the key must begin with contexts/ns/f/'],
])('%s: the last line of fetch said %s', (reason, code, said) => {
  const message = `sless fetch: try 1 of 8 failed, again in 250 ms: Unavailable: x\nsless fetch: ${code}: ${said}\n`;
  const report = buildReport(
    pod({ phase: 'Failed', initContainerStatuses: [{ name: 'fetch', state: ended(65, message) }] }),
  );
  expect(report).toEqual({
    reason,
    message: `the code could not be brought into the build: ${said}`,
    container: 'fetch',
    exitCode: 65,
  });
});

test('a build that waits for an image or a node says so, and no more once it runs', () => {
  const waiting = { waiting: { reason: 'ImagePullBackOff', message: 'Back-off pulling image "sless:v9"' } };
  const stuck = pod({ phase: 'Pending', initContainerStatuses: [{ name: 'fetch', state: waiting }] });
  expect(buildReport(stuck)).toMatchObject({
    reason: 'ImagePullFailed',
    container: 'fetch',
    message: expect.stringContaining('sless:v9'),
  });
  const condition = {
    type: 'PodScheduled',
    status: 'False',
    reason: 'Unschedulable',
    message: '0/1 nodes are available: 1 Insufficient memory.',
  };
  expect(buildReport(pod({ phase: 'Pending', conditions: [condition] }))).toEqual({
    message: `no node has room for the build: ${condition.message}`,
  });
  const running = { phase: 'Pending', initContainerStatuses: [{ name: 'fetch', state: { running: {} } }] };
  expect(buildReport(pod(running))).toBeNull();
});

test("a pod that was taken from its node gives no reason: that is nobody's fault", () => {
  const report = buildReport(
    pod({
      phase: 'Failed',
      message: 'The node was low on resource: ephemeral-storage.',
      conditions: [{ type: 'DisruptionTarget', status: 'True' }],
      containerStatuses: [{ name: 'push', state: ended(137) }],
    }),
  );
  expect(report).toEqual({
    message: "the build's pod was taken from its node: The node was low on resource: ephemeral-storage.",
  });
});

test('nothing that is a secret by its form gets into a report', () => {
  const secrets = [
    'PUT https://s3.example/b/blob?X-Amz-Credential=AKIA&X-Amz-Signature=0123abcd: 403',
    'GET https://robot:hunter2@registry.example/v2/',
    'postgres://app:hunter2@db/app',
    'Authorization: Bearer hunter2hunter2',
    'token eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJhIn0abc.c2lnbmF0dXJl',
  ];
  const { message = '' } =
    buildReport(pod({ containerStatuses: [{ name: 'push', state: ended(1, secrets.join('\n')) }] })) ?? {};
  expect(message).not.toMatch(/hunter2|AKIA|0123abcd|eyJ/);
  for (const kept of ['https://s3.example/b/blob?…', 'https://…@registry.example/v2/', 'postgres://…@db/app'])
    expect(message).toContain(kept);
});

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

test.each(['push', 'build'])(
  'a container that others have put beside a build does not speak for it: %s',
  (name) => {
    const digest = `sha256:${'d'.repeat(64)}`;
    const beside = (exitCode: number) => ({ name: 'mesh', state: ended(exitCode, 'bye', 'Completed') });
    const together = (exitCode: number, state: object) =>
      pod({ containerStatuses: [beside(exitCode), { name, state }] });
    expect(buildReport(together(0, { running: {} }))).toBeNull();
    expect(buildReport(together(0, ended(0, digest)))).toEqual({ digest });
    expect(buildReport(together(143, ended(0, digest)))).toEqual({ digest });
    expect(buildReport(together(143, ended(1, 'npm ERR!')))).toMatchObject({ container: name, exitCode: 1 });
  },
);
