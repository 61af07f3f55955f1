import type { Cluster, ClusterEvent } from '../../ports/cluster.ts';
import { everything } from '../../ports/everything.ts';
import type { Logger } from '../../ports/logger.ts';
import { KINDS, type Kind } from '../../resources/kube/kinds.ts';
import type { KubeObject } from '../../resources/kube/object.ts';
import { createLatest } from '../latest.ts';
import type { Images } from './images.ts';

interface CleaningDeps {
  readonly cluster: Cluster;
  readonly images: Images;
  readonly logger: Logger;
}

/** Whatever may name an image: what is deployed, what can be rolled back to, what runs, and what is to run. */
const USERS: readonly Kind[] = [
  KINDS.Function,
  KINDS.FunctionJob,
  KINDS.Deployment,
  KINDS.Job,
  KINDS.CronJob,
  KINDS.Pod,
];
/** With the end of one of these an image may have lost its last use. A version that leaves the history does so with a build. */
const LAST_USES: readonly Kind[] = [KINDS.Function, KINDS.Job, KINDS.Pod];

const RETRY_MS = 5000;

/**
 * Throws away images that no Function, history, Job or running process uses: at the start, and when something is gone that
 * may have used one. Versions in a history are kept, however old.
 */
export function cleanImages({ cluster, images, logger }: CleaningDeps): { close(): Promise<void> } {
  const latest = createLatest(() => images.removeUnused(() => textsOf(cluster)), {
    retryMs: RETRY_MS,
    onError: (error) => logger.warn({ err: error }, 'unused images could not be removed'),
  });
  const onEvent = (event: ClusterEvent): void => {
    if (event.type !== 'applied') latest.request();
  };
  // A process may outlive its Pod's object by the grace that it gets.
  let closed = false;
  images.onRelease(() => {
    if (!closed) latest.request();
  });
  const watches = LAST_USES.map((kind) => cluster.watch({ kind }, onEvent));
  return {
    close: async () => {
      closed = true;
      for (const watch of watches) watch.close();
      await latest.idle();
    },
  };
}

/** All texts that may name an image; `undefined` while that cannot be known. */
async function textsOf(cluster: Cluster): Promise<readonly string[] | undefined> {
  const builds = await everything(cluster, { kind: KINDS.Job, labels: { app: 'sless-builder' } });
  // What one brings is in no status yet. Its Job goes afterwards, and that is when to look again.
  if (!builds.every(hasFailed)) return undefined;
  // After the Jobs: one that is gone from their list has its image in a status by now.
  const lists = await Promise.all(USERS.map((kind) => everything(cluster, { kind })));
  return textsIn(lists);
}

function hasFailed({ status }: KubeObject): boolean {
  const { conditions = [] } = (status ?? {}) as { conditions?: { type?: string; status?: string }[] };
  return conditions.some(({ type, status: holds }) => type === 'Failed' && holds === 'True');
}

/** Every text in a value, however deep: references to images stand in fields, in annotations, and in JSON in those. */
function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(textsIn);
}
