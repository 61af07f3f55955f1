import { isDeepStrictEqual } from 'node:util';
import { isSlessError } from '../../errors.ts';
import type { Cluster } from '../../ports/cluster.ts';
import type { Logger } from '../../ports/logger.ts';
import { KINDS } from '../../resources/kube/kinds.ts';
import type { KubeObject } from '../../resources/kube/object.ts';
import { createLatest } from '../latest.ts';
import { endpointSlice } from './endpoint-slice.ts';
import type { PodStatus } from './pod-status.ts';

/** What the cluster is to know of a pod. Without an endpoint nothing is sent to it. */
export interface PodView {
  readonly status: PodStatus;
  readonly endpoint?: {
    readonly service: string;
    readonly port: number;
    readonly ready: boolean;
    readonly terminating: boolean;
  };
}

/** Keeps the objects of one pod in the cluster: the Pod, and the EndpointSlice while there is an endpoint. */
export interface PodPublisher {
  /** Makes this known, soon; of several in a row the last counts. */
  publish(view: PodView): void;
  /** When the last one is known. */
  settled(): Promise<void>;
  /** Removes both objects for good. */
  remove(): Promise<void>;
  /** Removes the endpoint alone, and writes no more: the Pod is there for the next start. */
  leave(): Promise<void>;
}

const RETRY_MS = 200;

/** `pod` is the object as it is to be created, without status, or one that the cluster has. */
export function createPodPublisher(
  deps: { cluster: Cluster; logger: Logger },
  pod: KubeObject,
): PodPublisher {
  const { cluster, logger } = deps;
  const { name, namespace = '' } = pod.metadata;
  let wanted: PodView | undefined;
  let stored = pod.metadata.uid === undefined ? undefined : pod;
  let status: PodStatus | undefined;
  let slice: KubeObject | undefined;
  let removed = false;

  const write = async (): Promise<void> => {
    if (wanted === undefined || removed) return;
    stored ??= await cluster.create(pod);
    slice = await writeSlice(
      cluster,
      slice,
      wanted.endpoint && endpointSlice({ pod: stored, ...wanted.endpoint }),
    );
    if (isDeepStrictEqual(status, wanted.status)) return;
    status = wanted.status;
    await cluster.patch({ kind: KINDS.Pod, namespace, name }, { status }, { subresource: 'status' });
  };
  const onError = (error: unknown): void => {
    status = undefined;
    // Somebody deleted the Pod or its namespace: whoever owns this publisher learns of it by a watch.
    if (!isSlessError(error, 'NotFound'))
      logger.warn({ err: error, pod: name, namespace }, 'a pod could not be written');
  };
  const latest = createLatest(write, { onError, retryMs: RETRY_MS });
  const leave = async (): Promise<void> => {
    removed = true;
    await latest.idle();
    await writeSlice(cluster, slice, undefined);
  };
  return {
    publish: (view) => {
      wanted = view;
      latest.request();
    },
    settled: latest.idle,
    remove: async () => {
      await leave();
      const { uid } = stored?.metadata ?? {};
      if (uid !== undefined) await ignoreGone(cluster.delete({ kind: KINDS.Pod, namespace, name }, { uid }));
    },
    leave,
  };
}

/** Brings the slice from what it is to what it should be, and answers that. */
async function writeSlice(
  cluster: Cluster,
  before: KubeObject | undefined,
  after: KubeObject | undefined,
): Promise<KubeObject | undefined> {
  if (isDeepStrictEqual(before, after)) return after;
  const { name, namespace = '' } = (after ?? before ?? missing()).metadata;
  const ref = { kind: KINDS.EndpointSlice, namespace, name };
  if (after === undefined) await ignoreGone(cluster.delete(ref));
  else if (before === undefined) await cluster.create(after);
  else await cluster.patch(ref, { ports: after.ports, endpoints: after.endpoints });
  return after;
}

function missing(): never {
  throw new Error('neither the old nor the new slice is known');
}

async function ignoreGone(deletion: Promise<void>): Promise<void> {
  await deletion.catch((error: unknown) => {
    if (!isSlessError(error, 'NotFound') && !isSlessError(error, 'Conflict')) throw error;
  });
}
