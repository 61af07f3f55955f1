import { isSlessError } from '../errors.ts';
import type { Cluster, ClusterEvent } from '../ports/cluster.ts';
import type { Invocation } from '../ports/invocation-log.ts';
import type { Logger } from '../ports/logger.ts';
import { createWorkList } from '../ports/work-list.ts';
import { KINDS } from '../resources/kube/kinds.ts';
import { LABELS } from '../resources/kube/labels.ts';
import type { KubeObject } from '../resources/kube/object.ts';
import { type Annotation, annotate, reportOn } from './annotation.ts';
import { COMPONENTS, type Component, findingOf, type Logs } from './finding.ts';
import { type Owner, ownerOf } from './owner.ts';
import { asPod } from './pod.ts';
import { runRecords } from './run-record.ts';

/** Watches pods and writes what became of them onto their owners. */
export interface Reporter {
  /** Whether it has seen every pod there is. */
  ready(): boolean;
  close(): void;
}

interface ReporterDeps {
  readonly cluster: Pick<Cluster, 'get' | 'list' | 'patch' | 'watch'>;
  readonly logger: Logger;
  /** Where a build says its digest; without it the digest must be in the pod itself, as local mode writes it. */
  readonly logs?: Logs;
  /** Told of every build that is over, by whichever reporter wrote it down: `succeeded`, or the error code. */
  readonly observeBuild?: ((outcome: string) => void) | undefined;
  /** Told of every run of a job or of cron that is over, of some more than once: the record is the same then. */
  readonly record?: ((call: Invocation) => void) | undefined;
}

interface Owned {
  readonly owner: Owner;
  readonly component: Component;
  readonly pods: Map<string, KubeObject>;
  /** The annotation that the owner was last seen to carry; `undefined` before, and when there may be another owner of that name. */
  known: Annotation | undefined;
  /** How many pods have come so far. */
  arrivals: number;
  /** The ids of the runs that were told of. */
  readonly recorded: Set<string>;
}

/** Each needs three short requests at most; a start with thousands of pods shall not keep a new digest waiting. */
const AT_ONCE = 8;
const RETRY_MS = 500;
const MAX_RETRY_MS = 60_000;

/** Starts watching. An owner is written once for each change of what there is to say; nothing is remembered elsewhere. */
export function createReporter(deps: ReporterDeps): Reporter {
  const { cluster, logger } = deps;
  const owned = new Map<string, Owned>();
  const synced = new Set<Component>();
  const list = createWorkList({
    work: async (key) => {
      const entry = owned.get(key);
      if (entry === undefined) return;
      await report(deps, entry);
      if (entry.pods.size === 0) owned.delete(key);
    },
    onError: (error, owner) => logFailure(logger, error, owner),
    atOnce: AT_ONCE,
    retryMs: RETRY_MS,
    maxRetryMs: MAX_RETRY_MS,
  });
  /** The owner's pods are as `changed` leaves them. */
  const change = (owner: Owner | undefined, component: Component, changed: (entry: Owned) => void) => {
    if (owner === undefined) return;
    const key = keyOf(owner);
    const entry = owned.get(key) ?? {
      owner,
      component,
      pods: new Map(),
      known: undefined,
      arrivals: 0,
      recorded: new Set(),
    };
    owned.set(key, entry);
    changed(entry);
    recordRuns(deps, entry);
    list.mark(key);
  };
  const revisit = async (): Promise<void> => {
    try {
      for await (const owner of reportedServers(cluster)) change(owner, 'server', () => {});
    } catch (error) {
      logger.warn({ err: error }, 'old reports could not be looked at');
    }
  };
  const watches = COMPONENTS.map((component) =>
    watchPods(cluster, component, {
      changed: (owner, changed) => change(owner, component, changed),
      forget: () => {
        for (const entry of [...owned.values()])
          if (entry.component === component) change(entry.owner, component, ({ pods }) => pods.clear());
      },
      synced: () => {
        synced.add(component);
        if (component === 'server') void revisit();
      },
    }),
  );
  return {
    ready: () => synced.size === watches.length,
    close: () => {
      list.close();
      for (const watch of watches) watch.close();
    },
  };
}

interface PodListener {
  readonly changed: (owner: Owner | undefined, changed: (entry: Owned) => void) => void;
  /** Everything that is known of pods may be out of date. */
  readonly forget: () => void;
  readonly synced: () => void;
}

function watchPods(cluster: ReporterDeps['cluster'], component: Component, listener: PodListener) {
  const add = (pod: KubeObject) => listener.changed(ownerOf(pod), (entry) => addPod(entry, pod));
  return cluster.watch(
    { kind: KINDS.Pod, labels: { [LABELS.component]: component } },
    (event: ClusterEvent) => {
      if (event.type === 'applied') add(event.object);
      if (event.type === 'deleted') {
        const { metadata } = event.object;
        // Its end may be told with it alone.
        add(event.object);
        listener.changed(ownerOf(event.object), ({ pods }) => pods.delete(metadata.name));
      }
      if (event.type !== 'synced') return;
      listener.forget();
      for (const pod of event.objects) add(pod);
      listener.synced();
    },
  );
}

/** A pod does not say of which Deployment it is but by a name: a new one may be of another, which carries nothing yet. */
function addPod(entry: Owned, pod: KubeObject): void {
  const { name, uid } = pod.metadata;
  if (entry.pods.get(name)?.metadata.uid !== uid) {
    entry.arrivals += 1;
    entry.known = undefined;
  }
  entry.pods.set(name, pod);
}

/** With the uid of a Job: one that is made again under its name is another owner, be pods of the old one still about. */
const keyOf = ({ kind, namespace, name, uid = '' }: Owner): string =>
  `${kind.kind}/${namespace}/${name}/${uid}`;

/** Two reporters meet at an owner, or its controller comes in between: that is daily life, and tried again. */
function logFailure(logger: Logger, error: unknown, owner: string): void {
  const level = isSlessError(error, 'Conflict') ? 'debug' : 'warn';
  logger[level]({ err: error, owner }, 'a report could not be written yet');
}

/** Deployments that have no pods any more may still carry what was said of the last ones. */
async function* reportedServers(cluster: ReporterDeps['cluster']): AsyncGenerator<Owner> {
  const query = { kind: KINDS.Deployment, labels: { [LABELS.component]: 'server' } };
  let cursor: string | undefined;
  do {
    const page = await cluster.list(query, cursor === undefined ? {} : { cursor });
    for (const deployment of page.items) {
      const { namespace = '', name } = deployment.metadata;
      if (reportOn(deployment) !== null) yield { kind: KINDS.Deployment, namespace, name };
    }
    cursor = page.next;
  } while (cursor !== undefined);
}

/** Tells of what is over, once while the pod is there. */
function recordRuns({ record }: ReporterDeps, { component, pods, recorded }: Owned): void {
  if (record === undefined || (component !== 'job' && component !== 'cron')) return;
  for (const run of runRecords(component, [...pods.values()].map(asPod))) {
    if (recorded.has(run.id)) continue;
    recorded.add(run.id);
    record(run);
  }
}

/** Looks at the owner when there seems to be something to write. */
async function report({ cluster, logs, observeBuild }: ReporterDeps, entry: Owned): Promise<void> {
  const finding = await findingOf(entry.component, [...entry.pods.values()], logs);
  if (finding === undefined) return;
  const wanted = finding === null ? null : JSON.stringify(finding);
  if (wanted === entry.known) return;
  const { arrivals } = entry;
  const carried = await annotate(cluster, entry, wanted);
  const outcome = finding?.digest === undefined ? finding?.reason : 'succeeded';
  if (carried === 'written' && entry.component === 'build' && outcome !== undefined) observeBuild?.(outcome);
  if (carried !== 'absent' && entry.arrivals === arrivals) entry.known = wanted;
}
