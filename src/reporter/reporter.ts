import { isSlessError } from '../errors.ts';
import type { Cluster, ClusterEvent } from '../ports/cluster.ts';
import type { Logger } from '../ports/logger.ts';
import { KINDS } from '../resources/kube/kinds.ts';
import { ANNOTATIONS, LABELS } from '../resources/kube/labels.ts';
import type { KubeObject } from '../resources/kube/object.ts';
import type { Report } from '../resources/kube/report.ts';
import { buildReport } from './build-report.ts';
import { type Owner, ownerOf } from './owner.ts';
import { asPod } from './pod.ts';
import { serverReport } from './server-report.ts';
import { createWorkList } from './work-list.ts';

/** Watches pods and writes what became of them onto their owners. */
export interface Reporter {
  /** Whether it has seen every pod there is. */
  ready(): boolean;
  close(): void;
}

interface ReporterDeps {
  readonly cluster: Pick<Cluster, 'get' | 'list' | 'patch' | 'watch'>;
  readonly logger: Logger;
}

/** What `sless.dev/component` says of pods that are looked at, with the question that is put to each. */
const COMPONENTS = { server: serverReport, build: buildReport } as const;
type Component = keyof typeof COMPONENTS;

interface Owned {
  readonly owner: Owner;
  readonly component: Component;
  readonly pods: Map<string, KubeObject>;
  /** The annotation as it was last seen or written; `undefined` before the first look. */
  known: string | null | undefined;
}

const RETRY_MS = 1000;

/** Starts watching. An owner is written once for each change of what there is to say; nothing is remembered elsewhere. */
export function createReporter({ cluster, logger }: ReporterDeps): Reporter {
  const owned = new Map<string, Owned>();
  const synced = new Set<Component>();
  const list = createWorkList({
    work: async (key) => {
      const entry = owned.get(key);
      if (entry === undefined) return;
      await write(cluster, entry);
      if (entry.pods.size === 0) owned.delete(key);
    },
    onError: (error, owner) => logger.warn({ err: error, owner }, 'a report could not be written'),
    retryMs: RETRY_MS,
  });
  /** The owner's pods are as `change` leaves them. */
  const change = (owner: Owner | undefined, component: Component, changed: (pods: Owned['pods']) => void) => {
    if (owner === undefined) return;
    const key = keyOf(owner);
    const entry = owned.get(key) ?? { owner, component, pods: new Map(), known: undefined };
    owned.set(key, entry);
    changed(entry.pods);
    list.mark(key);
  };
  const onEvent = (component: Component) => (event: ClusterEvent) => {
    const add = (pod: KubeObject) =>
      change(ownerOf(pod), component, (pods) => pods.set(pod.metadata.name, pod));
    if (event.type === 'applied') add(event.object);
    if (event.type === 'deleted') {
      const { metadata } = event.object;
      change(ownerOf(event.object), component, (pods) => pods.delete(metadata.name));
    }
    if (event.type !== 'synced') return;
    for (const entry of [...owned.values()]) {
      if (entry.component === component) change(entry.owner, component, (pods) => pods.clear());
    }
    for (const pod of event.objects) add(pod);
    synced.add(component);
    if (component === 'server') void revisit();
  };
  /** Deployments that have no pods any more may still carry what was said of the last ones. */
  const revisit = async (): Promise<void> => {
    try {
      for await (const deployment of reported(cluster)) {
        const { namespace = '', name } = deployment.metadata;
        change({ kind: KINDS.Deployment, namespace, name }, 'server', () => {});
      }
    } catch (error) {
      logger.warn({ err: error }, 'old reports could not be looked at');
    }
  };
  const watches = (Object.keys(COMPONENTS) as Component[]).map((component) =>
    cluster.watch({ kind: KINDS.Pod, labels: { [LABELS.component]: component } }, onEvent(component)),
  );
  return {
    ready: () => synced.size === watches.length,
    close: () => {
      list.close();
      for (const watch of watches) watch.close();
    },
  };
}

const keyOf = ({ kind, namespace, name }: Owner): string => `${kind.kind}/${namespace}/${name}`;

async function* reported(cluster: ReporterDeps['cluster']): AsyncGenerator<KubeObject> {
  const query = { kind: KINDS.Deployment, labels: { [LABELS.component]: 'server' } };
  let cursor: string | undefined;
  do {
    const page = await cluster.list(query, cursor === undefined ? {} : { cursor });
    yield* page.items.filter(({ metadata }) => metadata.annotations?.[ANNOTATIONS.report] !== undefined);
    cursor = page.next;
  } while (cursor !== undefined);
}

/** Looks at the owner when there seems to be something to write, and writes only what is not there already. */
async function write(cluster: ReporterDeps['cluster'], entry: Owned): Promise<void> {
  const report = reportOfOwner(entry);
  // A build's outcome outlives its pods.
  if (report === undefined && entry.component === 'build') return;
  const wanted = report === undefined ? null : JSON.stringify(report);
  if (wanted === entry.known) return;
  const owner = await cluster.get(entry.owner);
  if (owner?.metadata.labels?.[LABELS.component] !== entry.component) return;
  const present = owner.metadata.annotations?.[ANNOTATIONS.report] ?? null;
  if (present !== wanted) await annotate(cluster, entry.owner, wanted);
  entry.known = wanted;
}

async function annotate(
  cluster: ReporterDeps['cluster'],
  owner: Owner,
  report: string | null,
): Promise<void> {
  try {
    await cluster.patch(owner, { metadata: { annotations: { [ANNOTATIONS.report]: report } } });
  } catch (error) {
    if (!isSlessError(error, 'NotFound')) throw error;
  }
}

/** What is said of an owner: of its newest pod that has something to say. */
function reportOfOwner({ component, pods }: Owned): Report | undefined {
  return [...pods.values()]
    .sort(newestFirst)
    .map((pod) => COMPONENTS[component](asPod(pod)))
    .find((report) => report !== undefined);
}

function newestFirst({ metadata: a }: KubeObject, { metadata: b }: KubeObject): number {
  const [timeA = '', timeB = ''] = [a.creationTimestamp, b.creationTimestamp];
  return timeA === timeB ? (a.name < b.name ? -1 : 1) : timeA > timeB ? -1 : 1;
}
