import { vi } from 'vitest';
import {
  createEmbeddedCluster,
  type EmbeddedCluster,
} from '../../../src/adapters/embedded-cluster/cluster.ts';
import { createMemoryStore } from '../../../src/adapters/embedded-cluster/state-store.ts';
import { parseControllers } from '../../../src/local/sync-loop/controllers.ts';
import type { CallHook, HookAnswer } from '../../../src/local/sync-loop/hook.ts';
import {
  createSyncLoop,
  type SyncLoop,
  type SyncLoopOptions,
} from '../../../src/local/sync-loop/sync-loop.ts';
import type { ControllerCluster, ObjectRef } from '../../../src/ports/cluster.ts';
import type { Logger } from '../../../src/ports/logger.ts';
import { KINDS, type Kind } from '../../../src/resources/kube/kinds.ts';
import type { KubeObject } from '../../../src/resources/kube/object.ts';

export type Groups = Readonly<Record<string, Readonly<Record<string, KubeObject>>>>;

/** What a hook was sent; `object` and `attachments` for decorators. */
export interface Request {
  readonly controller: KubeObject;
  readonly parent: KubeObject;
  readonly object: KubeObject;
  readonly children: Groups;
  readonly attachments: Groups;
  readonly related: Groups;
  readonly finalizing: boolean;
}

/** A hook of a test: an object is answered with 200. */
export type Hook = (request: Request) => object | Promise<object>;

/** An answer with a status of its own. */
export const answer = (
  status: number,
  body: unknown = {},
  headers: Record<string, string> = {},
): HookAnswer => ({
  status,
  headers,
  body: typeof body === 'string' ? body : JSON.stringify(body),
});

export interface Call {
  readonly path: string;
  readonly request: Request;
  readonly at: number;
}

interface WorldOptions extends Partial<Omit<SyncLoopOptions, 'controllers'>> {
  readonly controllers: string;
  readonly hooks?: Readonly<Record<string, Hook>>;
  /** Answers in the place of `hooks`. */
  readonly callHook?: CallHook;
  readonly later?: (work: () => void) => void;
  readonly clock?: { now(): number };
}

/** A cluster, the loop over it, and what went between them and the hooks. */
export interface World {
  readonly cluster: EmbeddedCluster;
  readonly loop: SyncLoop;
  readonly calls: Call[];
  /** `verb Kind name`, of the loop alone. */
  readonly writes: string[];
  /** What was logged as a warning. */
  readonly warnings: string[];
  readonly crashes: Error[];
  /** Holds back what the cache of that kind is told. */
  hold(kind: Kind): void;
  release(kind: Kind): void;
  /** Makes an object in namespace `ns`. */
  make(kind: Kind, name: string, more?: object): Promise<KubeObject>;
  get(kind: Kind, name: string): Promise<KubeObject | undefined>;
  patch(kind: Kind, name: string, patch: object, options?: { subresource: 'status' }): Promise<KubeObject>;
  idle(): Promise<void>;
  close(): void;
}

export async function createWorld(options: WorldOptions): Promise<World> {
  const { logger, warnings } = loggerOf();
  const clock = options.clock ?? Date;
  const later = options.later ? { later: options.later } : {};
  const cluster = createEmbeddedCluster({ store: createMemoryStore(), clock, logger, ...later });
  await cluster.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'ns' } });
  const calls: Call[] = [];
  const writes: string[] = [];
  const crashes: Error[] = [];
  const lag = createLag();
  const callHook: CallHook = async (path, body, signal) => {
    const request = JSON.parse(body) as Request;
    calls.push({ path, request, at: performance.now() });
    if (options.callHook) return options.callHook(path, body, signal);
    const hook = options.hooks?.[path];
    const said = hook ? await hook(request) : answer(404, 'no such hook');
    return 'body' in said && 'headers' in said ? (said as HookAnswer) : answer(200, said);
  };
  const { controllers, hooks: _, callHook: _call, later: _later, clock: _clock, ...loopOptions } = options;
  const loop = createSyncLoop(
    {
      cluster: recording(cluster, writes),
      callHook,
      clock,
      logger,
      gate: lag.gate,
      onCrash: (error) => crashes.push(error),
    },
    { controllers: parseControllers([controllers], Object.values(KINDS)), ...loopOptions },
  );
  const ref = (kind: Kind, name: string): ObjectRef => ({
    kind,
    name,
    ...(kind.namespaced ? { namespace: 'ns' } : {}),
  });
  loop.start();
  return {
    cluster,
    loop,
    calls,
    writes,
    warnings,
    crashes,
    hold: lag.hold,
    release: lag.release,
    make: (kind, name, more = {}) => cluster.create(objectOf(kind, name, more)),
    get: (kind, name) => cluster.get(ref(kind, name)),
    patch: (kind, name, patch, how) => cluster.patch(ref(kind, name), patch as Record<string, unknown>, how),
    idle: async () => {
      await loop.idle();
      await vi.waitFor(() => cluster.quiet() || Promise.reject(new Error('the cluster is busy')));
      await loop.idle();
    },
    close() {
      loop.close();
      cluster.close();
    },
  };
}

const SPECS: Readonly<Record<string, object>> = {
  Function: { spec: { runtime: 'nodejs20' } },
  Trigger: { spec: { type: 'http', functionRef: 'f' } },
};

export function objectOf(
  { apiVersion, kind, namespaced }: Kind,
  name: string,
  more: object = {},
): KubeObject {
  const { metadata, ...rest } = more as { metadata?: object };
  return {
    apiVersion,
    kind,
    ...SPECS[kind],
    ...rest,
    metadata: { name, ...(namespaced ? { namespace: 'ns' } : {}), ...metadata },
  };
}

function recording(cluster: ControllerCluster, writes: string[]): ControllerCluster {
  const told = (verb: string, kind: string, name: string) => writes.push(`${verb} ${kind} ${name}`);
  return {
    ...cluster,
    apply: (object, manager) => {
      told('apply', object.kind, object.metadata.name);
      return cluster.apply(object, manager);
    },
    delete: (ref, options) => {
      told('delete', ref.kind.kind, ref.name);
      return cluster.delete(ref, options);
    },
    patch: (ref, patch, options) => {
      told('patch', ref.kind.kind, ref.name);
      return cluster.patch(ref, patch, options);
    },
    replaceStatus: (object) => {
      told('status', object.kind, object.metadata.name);
      return cluster.replaceStatus(object);
    },
  };
}

/** A gate that keeps what held caches would be told, in order. */
function createLag() {
  const held = new Map<Kind, (() => void)[]>();
  return {
    gate: (kind: Kind, deliver: () => void) => {
      const waiting = held.get(kind);
      if (waiting) waiting.push(deliver);
      else deliver();
    },
    hold: (kind: Kind) => void held.set(kind, []),
    release: (kind: Kind) => {
      const waiting = held.get(kind) ?? [];
      held.delete(kind);
      for (const deliver of waiting) deliver();
    },
  };
}

function loggerOf() {
  const warnings: string[] = [];
  const logger: Logger = {
    debug: () => undefined,
    info: () => undefined,
    warn: (fields, message) => {
      const { err } = fields as { err?: Error };
      warnings.push(`${message} ${err?.message ?? ''}`.trim());
    },
    error: (fields, message) => warnings.push(`${message} ${String((fields as { err?: Error }).err)}`),
    child: () => logger,
  };
  return { logger, warnings };
}

/** A CompositeController on Functions, with the children given as `resource of apiVersion: method`. */
export const composite = ({
  children = ['configmaps v1 InPlace'],
  parent = '',
  customize = false,
  extra = '',
}: {
  readonly children?: readonly string[];
  readonly parent?: string;
  readonly customize?: boolean;
  readonly extra?: string;
} = {}): string => `
apiVersion: metacontroller.k8s.io/v1alpha1
kind: CompositeController
metadata: { name: functions }
spec:
  generateSelector: true
  ${extra}
  parentResource: { apiVersion: sless.dev/v1alpha1, resource: functions${parent} }
  childResources:
${children.map(childRule).join('\n')}
  hooks:
    sync: { version: v2, webhook: { url: "http://operator/sync/function", timeout: 500ms } }
    ${customize ? 'customize: { version: v2, webhook: { service: { name: operator, namespace: sless }, path: /customize/function } }' : ''}
`;

const childRule = (text: string) => {
  const [resource, apiVersion, method] = text.split(' ');
  const strategy = method ? `, updateStrategy: { method: ${method} }` : '';
  return `    - { apiVersion: ${apiVersion}, resource: ${resource}${strategy} }`;
};

/** A DecoratorController on Triggers. */
export const decorator = (extra = ''): string => `
apiVersion: metacontroller.k8s.io/v1alpha1
kind: DecoratorController
metadata: { name: triggers }
spec:
  resources: [{ apiVersion: sless.dev/v1alpha1, resource: triggers${extra} }]
  attachments: [{ apiVersion: v1, resource: configmaps, updateStrategy: { method: InPlace } }]
  hooks:
    sync: { version: v2, webhook: { url: "http://operator/decorate/trigger" } }
`;

/** A ConfigMap child with these data. */
export const configMapChild = (name: string, data: Readonly<Record<string, string>> = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name },
  data,
});
