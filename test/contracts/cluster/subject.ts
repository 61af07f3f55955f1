import { randomBytes } from 'node:crypto';
import { expect, vi } from 'vitest';
import { type ErrorCode, isSlessError } from '../../../src/errors.ts';
import type {
  ClusterEvent,
  ControllerCluster,
  ObjectRef,
  Query,
  Subscription,
} from '../../../src/ports/cluster.ts';
import { KINDS, type Kind } from '../../../src/resources/kube/kinds.ts';
import type { KubeObject } from '../../../src/resources/kube/object.ts';

/** An adapter under test. */
export interface OpenCluster {
  readonly cluster: ControllerCluster;
  /** Breaks every watch until the returned function is called. Without it, what follows a break is not tested. */
  readonly interruptWatches?: () => () => void;
  close(): Promise<void> | void;
}

/** How to come by one, and what may be expected of it. */
export interface ClusterSubject {
  readonly open: () => Promise<OpenCluster> | OpenCluster;
  /** Whether something deletes what has lost its owner. An API server alone does not. */
  readonly collects: boolean;
  /** How many random histories are played. */
  readonly runs: number;
}

/** A test's own namespace and what is done in it. */
export interface Scene {
  readonly cluster: ControllerCluster;
  readonly namespace: string;
  readonly interruptWatches?: () => () => void;
}

export const NAMESPACES = KINDS.Namespace;

/** Makes a namespace that no other test has. */
export async function makeNamespace(cluster: ControllerCluster): Promise<string> {
  const name = `contract-${randomBytes(6).toString('hex')}`;
  await cluster.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  return name;
}

export const refTo = (kind: Kind, { metadata: { name, namespace } }: KubeObject): ObjectRef => ({
  kind,
  name,
  ...(namespace === undefined ? {} : { namespace }),
});

/** A ConfigMap of the scene. */
export const configMap = (
  { namespace }: Scene,
  name: string,
  more: Readonly<Record<string, unknown>> & { readonly metadata?: object } = {},
): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  ...more,
  metadata: { name, namespace, ...more.metadata },
});

/** A Function of the scene, with the little that one needs. */
export const functionObject = (
  { namespace }: Scene,
  name: string,
  spec: Readonly<Record<string, unknown>> = {},
): KubeObject => ({
  apiVersion: KINDS.Function.apiVersion,
  kind: 'Function',
  metadata: { name, namespace },
  spec: { runtime: 'nodejs20', ...spec },
});

/** The error that the promise ends with; fails when it has another code or there is none. */
export async function refusal(code: ErrorCode, promise: Promise<unknown>): Promise<Error> {
  const error = await promise.then(
    () => new Error('nothing was refused'),
    (reason: unknown) => reason,
  );
  if (!isSlessError(error, code)) throw error;
  return error;
}

/** Everything that matches, over all pages. */
export async function listAll(
  cluster: ControllerCluster,
  query: Query,
  limit?: number,
): Promise<KubeObject[]> {
  const objects: KubeObject[] = [];
  let cursor: string | undefined;
  do {
    const page = await cluster.list(query, {
      ...(limit === undefined ? {} : { limit }),
      ...(cursor === undefined ? {} : { cursor }),
    });
    objects.push(...page.items);
    cursor = page.next;
  } while (cursor !== undefined);
  return objects;
}

/** A watch that keeps what it was told. */
export interface Recording extends Subscription {
  readonly events: ClusterEvent[];
  /** What there is now, by uid, as far as the watch was told. */
  readonly known: Map<string, KubeObject>;
}

export function record(cluster: ControllerCluster, query: Query): Recording {
  const events: ClusterEvent[] = [];
  const known = new Map<string, KubeObject>();
  const keep = (object: KubeObject) => known.set(object.metadata.uid ?? '', object);
  const { close } = cluster.watch(query, (event) => {
    events.push(event);
    if (event.type === 'synced') known.clear();
    if (event.type === 'synced') event.objects.forEach(keep);
    if (event.type === 'applied') keep(event.object);
    if (event.type === 'deleted') known.delete(event.object.metadata.uid ?? '');
  });
  return { events, known, close };
}

/** Waits until the assertion holds. */
export const eventually = (assertion: () => unknown, timeout = 5_000): Promise<unknown> =>
  vi.waitFor(assertion, { timeout, interval: 5 });

/** `type name` of each event, with the names of a `synced` in parentheses. */
export const told = (events: readonly ClusterEvent[]): string[] =>
  events.map((event) => {
    if (event.type === 'synced')
      return `synced (${event.objects.map((object) => object.metadata.name).join(' ')})`;
    return event.type === 'lost' ? 'lost' : `${event.type} ${event.object.metadata.name}`;
  });

/** A ConfigMap made last, so that everything written before it has been told once it is. */
export async function untilTold(scene: Scene, recording: Recording): Promise<void> {
  const marker = await scene.cluster.create(configMap(scene, `marker-${randomBytes(4).toString('hex')}`));
  await eventually(() => expect(recording.known.has(marker.metadata.uid ?? '')).toBe(true));
}
