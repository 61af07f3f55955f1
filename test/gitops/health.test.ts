import { describe, expect, test } from 'vitest';
import { UNSEEN_STATUS } from '../../src/resources/definitions.ts';
import { groupKey, KINDS } from '../../src/resources/kube/kinds.ts';
import type { KubeObject } from '../../src/resources/kube/object.ts';
import { syncTrigger } from '../../src/resources/trigger/sync.ts';
import * as jobs from '../hooks/job-world.ts';
import { settle } from '../hooks/loop.ts';
import { deploy, failBuild, finishBuild, report, rollOut } from '../hooks/played.ts';
import { SETTINGS } from '../hooks/settings.ts';
import { edit, key, START, trigger, type World, world } from '../hooks/world.ts';
import { type Health, healthOf } from './health.ts';
import { type KStatus, kstatus } from './kstatus.ts';

type Row = readonly [state: string, object: KubeObject, kstatus: KStatus, argo: Health['status']];

/** A Function after these steps, as its hook left it. */
function fn(...steps: readonly ((of: World) => void)[]): KubeObject {
  const of = world();
  for (const step of steps) step(of);
  return of.parent;
}
const code = (version: number) => (of: World) => edit(of, { s3Key: key(version) });
const deployed = (of: World) => deploy(of, 1);
const off = (of: World) => {
  of.triggers = [trigger('web', { enabled: false })];
};
const later = (of: World) => {
  of.now += 120_000;
};
const refuse = (kind: string) => (of: World) => void of.refused.add(kind);
const stuck = (of: World) =>
  report(of, 'Deployment', {
    observedGeneration: 1,
    replicas: 1,
    updatedReplicas: 1,
    conditions: [{ type: 'Progressing', status: 'False', reason: 'ProgressDeadlineExceeded' }],
  });

const FUNCTIONS: readonly Row[] = [
  ['nobody has seen it', { ...fn(), status: { ...UNSEEN_STATUS } }, 'InProgress', 'Progressing'],
  ['it waits for its code', fn(settle), 'InProgress', 'Healthy'],
  ['it is being built', fn(code(1), settle), 'InProgress', 'Progressing'],
  ['it is being deployed', fn(code(1), settle, finishBuild, settle), 'InProgress', 'Progressing'],
  ['it serves', fn(deployed), 'Current', 'Healthy'],
  ['it is stopped', fn(deployed, off, settle, rollOut, settle), 'Current', 'Healthy'],
  ['it serves and was just changed', fn(deployed, code(2)), 'InProgress', 'Progressing'],
  ['it serves and is being built anew', fn(deployed, code(2), settle), 'InProgress', 'Progressing'],
  ['its build failed', fn(code(1), settle, (of) => failBuild(of), settle), 'Failed', 'Degraded'],
  [
    'a new build failed and the old version serves',
    fn(deployed, code(2), settle, (of) => failBuild(of), settle),
    'Failed',
    'Degraded',
  ],
  ['its pods do not start', fn(code(1), settle, finishBuild, settle, stuck, settle), 'Failed', 'Degraded'],
  [
    'the Job of its build waits for room',
    fn(refuse('Job'), code(1), settle, later, settle),
    'InProgress',
    'Progressing',
  ],
  [
    'a child is refused',
    fn(refuse('Service'), code(1), settle, finishBuild, settle, later, settle),
    'Failed',
    'Degraded',
  ],
  ['its runtime is unknown', fn((of) => edit(of, { runtime: 'cobol' }), settle), 'Failed', 'Degraded'],
  [
    'its namespace is not enabled',
    fn((of) => {
      of.namespaceLabels = {};
    }, settle),
    'Failed',
    'Degraded',
  ],
];

function web(spec: Record<string, unknown>, functions: readonly KubeObject[] = [world().parent]): KubeObject {
  const parent = { ...trigger('web', spec) };
  const object = { ...parent, metadata: { ...parent.metadata, generation: 1 } };
  const labels = { 'sless.dev/tenant': 'true' };
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team', labels } };
  const related = {
    [groupKey(KINDS.Namespace)]: { team: namespace },
    [groupKey(KINDS.Function)]: Object.fromEntries(functions.map((of) => ['team/hello', of])),
  };
  const children = { [groupKey(KINDS.CronJob)]: {}, [groupKey(KINDS.ConfigMap)]: {} };
  const request = { parent: object, children, related, finalizing: false };
  const { status } = syncTrigger(request, SETTINGS.triggers, START);
  return { ...object, status: { ...status, observedGeneration: 1 } };
}

const TRIGGERS: readonly Row[] = [
  ['nobody has seen it', { ...web({}), status: { ...UNSEEN_STATUS } }, 'InProgress', 'Progressing'],
  ['calls come through', web({}), 'Current', 'Healthy'],
  ['it is disabled', web({ enabled: false }), 'Current', 'Healthy'],
  ['its function is still to come', web({}, []), 'InProgress', 'Progressing'],
  ['it is not possible', web({ type: 'carrier pigeon' }), 'Failed', 'Degraded'],
];

function run(spec: Record<string, unknown>, ...steps: readonly ((of: jobs.JobWorld) => void)[]): KubeObject {
  const of = jobs.jobWorld(spec);
  for (const step of steps) step(of);
  return of.parent;
}

const noFunction = (of: jobs.JobWorld) => {
  of.fn = undefined;
};
const noRoom = (of: jobs.JobWorld) => void of.refused.add('Job');
const muchLater = (of: jobs.JobWorld) => jobs.passTime(of, 120_000);
const fails = (of: jobs.JobWorld) => jobs.endPod(of, { failed: 'BackoffLimitExceeded' });
const lowered = (of: jobs.JobWorld) => jobs.edit(of, { runID: 1 });

const JOBS: readonly Row[] = [
  ['nobody has seen it', { ...run({}), status: { ...UNSEEN_STATUS } }, 'InProgress', 'Progressing'],
  ['runID 0 skips it', run({ runID: 0 }, jobs.settle), 'Current', 'Healthy'],
  ['its function is still to come', run({}, noFunction, jobs.settle), 'InProgress', 'Progressing'],
  [
    'its Job waits for room',
    run({}, noRoom, jobs.settle, muchLater, jobs.settle),
    'InProgress',
    'Progressing',
  ],
  ['it runs', run({}, jobs.settle), 'InProgress', 'Progressing'],
  ['its run succeeded', run({}, jobs.settle, jobs.endPod, jobs.settle), 'Current', 'Healthy'],
  ['its run failed', run({}, jobs.settle, fails, jobs.settle), 'Failed', 'Degraded'],
  [
    'another run is asked for that nobody has seen',
    run({}, jobs.settle, jobs.endPod, jobs.settle, (of) => jobs.edit(of, { runID: 2 })),
    'InProgress',
    'Progressing',
  ],
  [
    'a lower runID is asked for, which does nothing',
    run({ runID: 2 }, jobs.settle, jobs.endPod, jobs.settle, lowered, jobs.settle),
    'Failed',
    'Degraded',
  ],
];

describe.each([
  ['a Function', FUNCTIONS],
  ['a Trigger', TRIGGERS],
  ['a FunctionJob', JOBS],
])('%s', (_, rows) => {
  test.each(rows)('when %s', async (_state, object, flux, argo) => {
    expect(kstatus(object), JSON.stringify(object.status, null, 1)).toBe(flux);
    const { status, message } = await healthOf(object);
    expect(status).toBe(argo);
    expect(message).not.toBe('');
  });
});

test('an object without any status is not taken for done by the health checks', async () => {
  for (const { kind, apiVersion } of [KINDS.Function, KINDS.Trigger, KINDS.FunctionJob]) {
    const object = { apiVersion, kind, metadata: { name: 'new', generation: 1 } };
    expect(await healthOf(object)).toMatchObject({ status: 'Progressing' });
  }
});
