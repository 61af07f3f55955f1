import { decorateFunctionJob } from '../../src/resources/function-job/decorate.ts';
import { FUNCTION_JOB_KINDS } from '../../src/resources/function-job/kinds.ts';
import type { FunctionJobStatus } from '../../src/resources/function-job/schema.ts';
import { syncFunctionJob } from '../../src/resources/function-job/sync.ts';
import { type SyncRequest, type SyncResponse, syncResponseSchema } from '../../src/resources/kube/hook.ts';
import { groupKey, KINDS } from '../../src/resources/kube/kinds.ts';
import { controllerOf, type KubeObject } from '../../src/resources/kube/object.ts';
import { formatTime } from '../../src/resources/kube/time.ts';
import { expectCanonical } from './loop.ts';
import { FUNCTION_SETTINGS, freeze } from './settings.ts';
import { START, UID } from './world.ts';

/** A pod of a run's Job. */
export interface RunPod {
  readonly job: string;
  readonly runID: number;
  state: 'waiting' | 'running' | 'ended';
  /** Since when its Job is gone, in milliseconds since 1970. */
  orphanedAt?: number;
}

/** A cluster with one FunctionJob and its Function: what Metacontroller, the Job controller and kubelets make of the hook's answers. */
export interface JobWorld {
  parent: KubeObject;
  readonly children: Map<string, KubeObject>;
  fn: KubeObject | undefined;
  namespaceLabels: Record<string, string>;
  now: number;
  readonly pods: RunPod[];
  /** The run of every pod whose code began. */
  readonly begun: number[];
  refused: Set<string>;
  uids: number;
  /** The states that caches may still show, the newest last. */
  readonly past: Snapshot[];
}

interface Snapshot {
  readonly parent: KubeObject;
  readonly children: ReadonlyMap<string, KubeObject>;
}

export const BUILT: KubeObject = freeze({
  apiVersion: KINDS.Function.apiVersion,
  kind: 'Function',
  metadata: { name: 'hello', namespace: 'team', uid: 'uid-fn', generation: 3 },
  spec: {
    runtime: 'python3.11',
    env: { A: 'b' },
    secrets: ['fn-db'],
    s3Key: 'contexts/team/hello/v1.tar.gz',
  },
  status: {
    observedGeneration: 3,
    phase: 'Ready',
    image: 'registry.local:5000/sless/team/hello@sha256:abc',
    builtKey: 'contexts/team/hello/v1.tar.gz',
    conditions: [condition('Built', 'True'), condition('Ready', 'True')],
  },
});

export function condition(type: string, status: string, reason = type, message = 'm') {
  return { type, status, reason, message, lastTransitionTime: '2026-01-01T00:00:00Z' };
}

export function jobWorld(spec: Record<string, unknown> = {}): JobWorld {
  return {
    parent: {
      apiVersion: KINDS.FunctionJob.apiVersion,
      kind: 'FunctionJob',
      metadata: { name: 'migrate', namespace: 'team', uid: UID, generation: 1, annotations: {} },
      spec: { functionRef: 'hello', runID: 1, retries: 0, timeoutSeconds: 600, ...spec },
    },
    children: new Map(),
    fn: BUILT,
    namespaceLabels: { 'sless.dev/tenant': 'true' },
    now: START,
    pods: [],
    begun: [],
    refused: new Set(),
    uids: 0,
    past: [],
  };
}

export const statusOf = ({ parent }: JobWorld): FunctionJobStatus =>
  (parent.status ?? {}) as FunctionJobStatus;

export function edit(of: JobWorld, spec: Record<string, unknown>): void {
  const { metadata } = of.parent;
  const generation = (metadata.generation ?? 0) + 1;
  write(of, { spec: { ...(of.parent.spec as object), ...spec }, metadata: { ...metadata, generation } });
}

export function wipeStatus(of: JobWorld): void {
  const { status: _, ...rest } = of.parent;
  remember(of);
  of.parent = rest;
}

function write(of: JobWorld, change: Partial<KubeObject>): void {
  remember(of);
  of.parent = { ...of.parent, ...change };
}

function remember(of: JobWorld): void {
  of.past.push({ parent: of.parent, children: new Map(of.children) });
}

const idOf = ({ kind, metadata }: KubeObject): string => `${kind} ${metadata.name}`;

/** How far behind each cache is, in writes. */
export interface Lag {
  readonly parent: number;
  readonly jobs: number;
  readonly events: number;
}

const FRESH: Lag = { parent: 0, jobs: 0, events: 0 };

export function requestOf(of: JobWorld, lag: Lag = FRESH): SyncRequest {
  const now = { parent: of.parent, children: of.children };
  const at = (writes: number): Snapshot =>
    (writes === 0 ? now : of.past[Math.max(0, of.past.length - writes)]) ?? now;
  const ofKind = (kind: string, from: Snapshot) =>
    Object.fromEntries(
      [...from.children.values()]
        .filter((child) => child.kind === kind && controllerOf(child)?.uid === of.parent.metadata.uid)
        .map((child) => [`team/${child.metadata.name}`, child]),
    );
  const namespace = {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: 'team', labels: of.namespaceLabels },
  };
  return {
    controller: {},
    parent: at(lag.parent).parent,
    children: {
      [groupKey(KINDS.Job)]: ofKind('Job', at(lag.jobs)),
      [groupKey(KINDS.ConfigMap)]: ofKind('ConfigMap', at(lag.events)),
    },
    related: {
      [groupKey(KINDS.Namespace)]: { team: namespace },
      [groupKey(KINDS.Function)]: of.fn === undefined ? {} : { 'team/hello': of.fn },
    },
    finalizing: false,
  };
}

/** Calls the hook with deeply frozen input and checks that the answer is one. */
export function ask(of: JobWorld, lag: Lag = FRESH): SyncResponse {
  const response = syncFunctionJob(freeze(structuredClone(requestOf(of, lag))), FUNCTION_SETTINGS, of.now);
  syncResponseSchema.parse(response);
  expectCanonical(response);
  const declared = new Set(FUNCTION_JOB_KINDS.children.map(groupKey));
  for (const child of response.children)
    if (!declared.has(groupKey(child))) throw new Error(`${groupKey(child)} is not declared`);
  return response;
}

/** One sync as Metacontroller does it. Killed before its last step, it leaves the status as it was. */
export function sync(
  of: JobWorld,
  { lag = FRESH, killed = false }: { lag?: Lag; killed?: boolean } = {},
): SyncResponse {
  const seen = requestOf(of, lag);
  const response = ask(of, lag);
  const wanted = new Set(response.children.map(idOf));
  for (const group of Object.values(seen.children))
    for (const child of Object.values(group)) if (!wanted.has(idOf(child))) dropSeen(of, child);
  const seenJobs = new Set(Object.values(seen.children[groupKey(KINDS.Job)] ?? {}).map(idOf));
  // OnDelete: a Job that the cache shows is not touched, even should it be gone. A ConfigMap is applied, and so made again.
  for (const child of response.children)
    if (!of.children.has(idOf(child)) && !seenJobs.has(idOf(child))) create(of, child);
  if (killed) return response;
  const status = { ...response.status, observedGeneration: seen.parent.metadata.generation };
  // Metacontroller compares with the live object, and writes what differs.
  if (JSON.stringify(status) !== JSON.stringify(of.parent.status)) write(of, { status });
  return response;
}

/** Deletions carry the uid of what was seen. */
function dropSeen(of: JobWorld, seen: KubeObject): void {
  if (of.children.get(idOf(seen))?.metadata.uid === seen.metadata.uid) drop(of, idOf(seen));
}

export function drop(of: JobWorld, id: string): void {
  const child = of.children.get(id);
  if (child === undefined) return;
  remember(of);
  of.children.delete(id);
  for (const pod of of.pods)
    if (pod.job === child.metadata.uid && pod.state !== 'ended') pod.orphanedAt = of.now;
}

function create(of: JobWorld, child: KubeObject): void {
  if (of.refused.has(child.kind)) return;
  remember(of);
  of.uids += 1;
  const { metadata } = of.parent;
  const owner = {
    apiVersion: KINDS.FunctionJob.apiVersion,
    kind: 'FunctionJob',
    name: 'migrate',
    uid: metadata.uid ?? '',
  };
  const uid = `uid-${of.uids}`;
  of.children.set(idOf(child), {
    ...child,
    metadata: { ...child.metadata, uid, generation: 1, ownerReferences: [{ ...owner, controller: true }] },
    ...(child.kind === 'Job' ? { status: { startTime: formatTime(of.now), active: 1 } } : {}),
  });
  if (child.kind === 'Job')
    of.pods.push({
      job: uid,
      runID: Number(child.metadata.annotations?.['sless.dev/run-id']),
      state: 'waiting',
    });
}

/** A kubelet begins a pod once the ConfigMap that it mounts is there. */
export function beginPods(of: JobWorld): void {
  for (const pod of of.pods) {
    const job = jobOf(of, pod);
    if (pod.state !== 'waiting' || job === undefined) continue;
    const [, event] = (job.spec as { template: { spec: { volumes: { configMap?: { name: string } }[] } } })
      .template.spec.volumes;
    if (!of.children.has(`ConfigMap ${event?.configMap?.name}`)) continue;
    pod.state = 'running';
    of.begun.push(pod.runID);
  }
}

const jobOf = (of: JobWorld, { job }: RunPod): KubeObject | undefined =>
  [...of.children.values()].find(({ metadata }) => metadata.uid === job);

/** From the deletion of its Job to the end of a pod: as long as the collector was ever seen to take, 10 s, and then its grace. */
const ORPHANED_MS = 20_000;

/** Pods whose Job is gone end. */
export function passTime(of: JobWorld, milliseconds: number): void {
  of.now += milliseconds;
  for (const pod of of.pods)
    if (pod.orphanedAt !== undefined && of.now - pod.orphanedAt >= ORPHANED_MS) pod.state = 'ended';
}

export const running = (of: JobWorld): number[] =>
  of.pods.filter(({ state }) => state === 'running').map(({ runID }) => runID);

type Ending = { readonly report?: object; readonly failed?: string };

/** Ends the Job of the pod that runs. */
export function endPod(
  of: JobWorld,
  { report = { exitCode: 0, result: '{"ok":true}' }, failed }: Ending = {},
): void {
  const pod = of.pods.find(({ state, orphanedAt }) => state === 'running' && orphanedAt === undefined);
  const job = pod === undefined ? undefined : jobOf(of, pod);
  if (pod === undefined || job === undefined) return;
  pod.state = 'ended';
  remember(of);
  const time = formatTime(of.now);
  const { startTime } = job.status as { startTime: string };
  const over = {
    type: failed === undefined ? 'Complete' : 'Failed',
    status: 'True',
    reason: failed,
    lastTransitionTime: time,
  };
  const counts = failed === undefined ? { succeeded: 1, completionTime: time } : { failed: 1 };
  of.children.set(idOf(job), {
    ...job,
    metadata: {
      ...job.metadata,
      annotations: { ...job.metadata.annotations, 'sless.dev/report': JSON.stringify(report) },
    },
    status: { startTime, ...counts, conditions: [over] },
  });
}

/** One sync of the decorator. */
export function decorate(of: JobWorld): void {
  const { annotations } = decorateFunctionJob({
    object: freeze(structuredClone(of.parent)),
    attachments: {},
    related: {},
    finalizing: false,
  });
  if (annotations === undefined) return;
  const { metadata } = of.parent;
  const written = Object.entries({ ...metadata.annotations, ...annotations });
  const kept = written.flatMap(([key, value]) => (value === null ? [] : [[key, value] as const]));
  write(of, { metadata: { ...metadata, annotations: Object.fromEntries(kept) } });
}

/** Everything goes on until nothing changes any more. */
export function settle(of: JobWorld): void {
  for (let round = 0; round < 40; round += 1) {
    const before = of.past.length;
    sync(of);
    decorate(of);
    beginPods(of);
    if (of.past.length !== before) continue;
    if (ask(of).resyncAfterSeconds === undefined || round > 30) return;
    passTime(of, 5000);
  }
  throw new Error('the hook does not come to rest');
}

export const jobOfRun = (of: JobWorld, runID: number): KubeObject | undefined =>
  [...of.children.values()].find(
    ({ kind, metadata }) => kind === 'Job' && metadata.annotations?.['sless.dev/run-id'] === String(runID),
  );
