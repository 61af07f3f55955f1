import { z } from 'zod';
import type { Cluster, ClusterEvent, Query, Subscription } from '../ports/cluster.ts';
import type { FunctionPods } from '../ports/invoker.ts';
import type { Logger } from '../ports/logger.ts';
import { type EndpointFacts, readEndpoints, SERVICE_NAME_LABEL } from '../resources/kube/endpoint-slice.ts';
import { KINDS } from '../resources/kube/kinds.ts';
import { LABELS } from '../resources/kube/labels.ts';
import type { KubeObject } from '../resources/kube/object.ts';

/** Whether a function can be called, and why not. */
export type FunctionState =
  | { readonly ready: true }
  | {
      readonly ready: false;
      readonly reason: 'FunctionNotFound' | 'FunctionStopped' | 'Deploying';
      readonly message: string;
    };

/** The functions that consumers call, kept by watches. */
export interface Functions {
  ready(): boolean;
  /** Calls back once all is known. */
  whenReady(listener: () => void): void;
  /** Tells the state of now, and every other one, until the returned function is called. */
  follow(namespace: string, name: string, listener: (state: FunctionState) => void): FunctionState;
  unfollow(namespace: string, name: string, listener: (state: FunctionState) => void): void;
  close(): void;
}

interface FunctionsDeps {
  readonly cluster: Pick<Cluster, 'watch'>;
  readonly pods: FunctionPods;
  readonly logger: Logger;
}

const keyOf = (namespace: string | undefined, name: string): string => `${namespace}/${name}`;
const specSchema = z.object({ replicas: z.int().min(0).catch(1) }).catch({ replicas: 1 });

/** Never asked for a message: what is known is what the watches said last. */
export function createFunctions({ cluster, pods, logger }: FunctionsDeps): Functions {
  /** Replicas wanted by function, and endpoints by slice, each with the function that it belongs to. */
  const replicas = new Map<string, number>();
  const slices = new Map<string, { readonly of: string; readonly endpoints: readonly EndpointFacts[] }>();
  const followers = new Map<string, Set<(state: FunctionState) => void>>();

  const endpointsOf = (key: string): EndpointFacts[] => {
    const all = [...slices.values()]
      .filter((slice) => slice.of === key)
      .flatMap(({ endpoints }) => endpoints);
    // Of a pod with addresses of both families one counts.
    return [
      ...new Map(all.filter(({ ready }) => ready).map((endpoint) => [endpoint.pod, endpoint])).values(),
    ];
  };
  const refresh = (key: string): FunctionState => {
    const [namespace = '', name = ''] = key.split('/');
    const endpoints = endpointsOf(key);
    pods.update(namespace, name, endpoints);
    return stateOf(replicas.get(key), endpoints.length);
  };
  const changed = (key: string): void => {
    const listeners = followers.get(key);
    if (listeners === undefined) return;
    const state = refresh(key);
    for (const listener of [...listeners]) listener(state);
  };
  let isComplete = false;
  let awaiting: (() => void) | undefined;
  const all = (complete: boolean): void => {
    isComplete = complete;
    for (const key of followers.keys()) changed(key);
    if (!complete) return;
    const listener = awaiting;
    awaiting = undefined;
    listener?.();
  };
  const watches = watchBoth(
    { cluster, logger },
    { all, changed, functions: functionStore(replicas), slices: sliceStore(slices) },
  );

  return {
    ready: () => isComplete,
    whenReady(listener) {
      if (isComplete) listener();
      else awaiting = listener;
    },
    follow(namespace, name, listener) {
      const key = keyOf(namespace, name);
      followers.set(key, (followers.get(key) ?? new Set()).add(listener));
      return refresh(key);
    },
    unfollow(namespace, name, listener) {
      const key = keyOf(namespace, name);
      const listeners = followers.get(key);
      listeners?.delete(listener);
      if (listeners?.size !== 0) return;
      followers.delete(key);
      pods.forget(namespace, name);
    },
    close: () => {
      for (const subscription of watches) subscription.close();
    },
  };
}

function stateOf(wanted: number | undefined, ready: number): FunctionState {
  const not = (
    reason: Extract<FunctionState, { ready: false }>['reason'],
    message: string,
  ): FunctionState => ({
    ready: false,
    reason,
    message,
  });
  if (wanted === undefined) return not('FunctionNotFound', 'the function does not exist; messages wait');
  if (wanted === 0) return not('FunctionStopped', 'the function is scaled to zero; messages wait');
  if (ready === 0) return not('Deploying', 'no pod of the function is ready; messages wait');
  return { ready: true };
}

/** What is kept of one kind. Both answer the functions that are concerned. */
interface Store {
  clear(): void;
  set(object: KubeObject): string | undefined;
  delete(object: KubeObject): string | undefined;
}

function functionStore(replicas: Map<string, number>): Store {
  const remove = ({ metadata }: KubeObject): string => {
    const key = keyOf(metadata.namespace, metadata.name);
    replicas.delete(key);
    return key;
  };
  return {
    clear: () => replicas.clear(),
    delete: remove,
    set(object) {
      if (object.metadata.deletionTimestamp !== undefined) return remove(object);
      const key = keyOf(object.metadata.namespace, object.metadata.name);
      replicas.set(key, specSchema.parse(object.spec).replicas);
      return key;
    },
  };
}

function sliceStore(slices: Map<string, { of: string; endpoints: readonly EndpointFacts[] }>): Store {
  return {
    clear: () => slices.clear(),
    set(object) {
      const { namespace, name, labels } = object.metadata;
      const service = labels?.[SERVICE_NAME_LABEL];
      if (service === undefined) return undefined;
      const of = keyOf(namespace, service);
      slices.set(keyOf(namespace, name), { of, endpoints: readEndpoints(object) });
      return of;
    },
    delete({ metadata }) {
      const key = keyOf(metadata.namespace, metadata.name);
      const of = slices.get(key)?.of;
      slices.delete(key);
      return of;
    },
  };
}

interface Told {
  readonly functions: Store;
  readonly slices: Store;
  readonly all: (isComplete: boolean) => void;
  readonly changed: (key: string) => void;
}

function watchBoth(
  { cluster, logger }: Pick<FunctionsDeps, 'cluster' | 'logger'>,
  told: Told,
): Subscription[] {
  const feeds: readonly (readonly [Query, Store])[] = [
    [{ kind: KINDS.Function }, told.functions],
    [{ kind: KINDS.EndpointSlice, labels: { [LABELS.component]: 'server' } }, told.slices],
  ];
  const synced = new Set<Store>();
  const hear = (kind: string, store: Store, event: ClusterEvent): void => {
    if (event.type === 'lost') {
      logger.warn({ kind, err: event.error }, 'watch lost: what is known stands');
    } else if (event.type === 'synced') {
      store.clear();
      for (const object of event.objects) store.set(object);
      synced.add(store);
      told.all(synced.size === feeds.length);
    } else {
      const key = event.type === 'applied' ? store.set(event.object) : store.delete(event.object);
      if (key !== undefined) told.changed(key);
    }
  };
  return feeds.map(([query, store]) => cluster.watch(query, (event) => hear(query.kind.kind, store, event)));
}
