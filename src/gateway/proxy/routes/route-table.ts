import {
  type EndpointFacts,
  readEndpoints,
  SERVICE_NAME_LABEL,
} from '../../../resources/kube/endpoint-slice.ts';
import { LABELS } from '../../../resources/kube/labels.ts';
import type { KubeObject } from '../../../resources/kube/object.ts';
import type { Pool } from '../../../upstream/pool.ts';
import type { Rate } from '../../rate/rate.ts';
import { type Gauge, type InFlight, newGauge } from '../limits.ts';
import type { ProxySettings } from '../options.ts';
import { createRouteStats, type RouteStats } from '../stats.ts';
import { createGrouped, type Grouped } from './grouped.ts';
import { type FunctionFacts, readFunction, readTrigger, type TriggerFacts } from './objects.ts';
import { prefixOf, type Route } from './route.ts';

/** The objects of one kind, told as they come. */
export interface Feed {
  reset(objects: readonly KubeObject[]): void;
  apply(object: KubeObject): void;
  remove(object: KubeObject): void;
}

/** Which function answers to which key `namespace/name`, kept by four feeds. */
export interface RouteTable {
  find(key: string): Route | undefined;
  stats(): Iterable<RouteStats>;
  readonly namespaces: Feed;
  readonly functions: Feed;
  readonly triggers: Feed;
  readonly slices: Feed;
  /** Lets go of all idle connections and opens no more. */
  close(): void;
}

type TableSettings = Pick<ProxySettings, 'maxInFlightPerFunction' | 'maxInFlightPerTenant'>;

/** What lives as long as a function is served, over all changes of its route. */
interface Served {
  readonly uid: string;
  readonly pool: Pool;
  readonly own: Gauge;
  readonly uploaders: InFlight['uploaders'];
  readonly rate: Rate | undefined;
  readonly stats: RouteStats;
}

/** Makes what lives as long as a function is served. */
interface Makers {
  readonly pool: () => Pool;
  /** How often it may be called; as often as anyone likes, where that is not bounded. */
  readonly rate: () => Rate | undefined;
}

interface Facts {
  readonly tenants: Set<string>;
  readonly functions: Grouped<FunctionFacts>;
  readonly triggers: Grouped<TriggerFacts>;
  readonly slices: Grouped<readonly EndpointFacts[]>;
}

export function createRouteTable(makers: Makers, settings: TableSettings): RouteTable {
  const facts: Facts = {
    tenants: new Set(),
    functions: createGrouped(),
    triggers: createGrouped(),
    slices: createGrouped(),
  };
  const routes = new Map<string, Route>();
  const served = new Map<string, Served>();
  const tenantGauges = createTenantGauges(settings.maxInFlightPerTenant);

  const update = (key: string): void => {
    const [namespace = ''] = key.split('/');
    const fn = facts.tenants.has(namespace) ? facts.functions.of(key)[0] : undefined;
    const trigger = facts.triggers.of(key)[0];
    if (fn === undefined || trigger === undefined) {
      served.get(key)?.pool.close();
      served.delete(key);
      routes.delete(key);
      return;
    }
    const endpoints = callable(facts.slices.of(key).flat(), fn.replicas > 0);
    const { pool, own, uploaders, rate, stats } = serve({ key, uid: fn.uid }, served, makers);
    pool.update(endpoints);
    own.limit = settings.maxInFlightPerFunction ?? fn.concurrency * Math.max(1, endpoints.length);
    const inFlight = { own, tenant: tenantGauges(namespace), uploaders };
    routes.set(key, routeOf({ fn, trigger, endpoints, stats, inFlight, rate, upstream: pool }));
  };
  const updateAll = (keys: Iterable<string>): void => {
    for (const key of keys) update(key);
  };

  return {
    find: (key) => routes.get(key),
    stats: () => [...served.values()].map((entry) => entry.stats),
    namespaces: namespaceFeed(facts, updateAll),
    functions: feed(facts.functions, updateAll, (object) => {
      const value = readFunction(object);
      return value && { group: keyOf(object), value };
    }),
    triggers: feed(facts.triggers, updateAll, (object) => {
      const value = readTrigger(object);
      return value && { group: `${object.metadata.namespace}/${value.functionRef}`, value };
    }),
    slices: feed(facts.slices, updateAll, (object) => {
      const service = object.metadata.labels?.[SERVICE_NAME_LABEL];
      if (service === undefined) return undefined;
      return { group: `${object.metadata.namespace}/${service}`, value: readEndpoints(object) };
    }),
    close() {
      for (const { pool } of served.values()) pool.close();
    },
  };
}

function serve(of: { key: string; uid: string }, served: Map<string, Served>, makers: Makers): Served {
  const known = served.get(of.key);
  if (known?.uid === of.uid) return known;
  // Another Function under an old name inherits nothing, least of all connections.
  known?.pool.close();
  const [namespace = '', name = ''] = of.key.split('/');
  const stats = createRouteStats(namespace, name);
  const made = {
    uid: of.uid,
    pool: makers.pool(),
    own: newGauge(0),
    uploaders: new Map(),
    rate: makers.rate(),
    stats,
  };
  served.set(of.key, made);
  return made;
}

/** One count a namespace, whose calls it bounds over all its functions. */
function createTenantGauges(limit: number): (namespace: string) => Gauge {
  const gauges = new Map<string, Gauge>();
  return (namespace) => {
    const gauge = gauges.get(namespace) ?? newGauge(limit);
    gauges.set(namespace, gauge);
    return gauge;
  };
}

const keyOf = (object: KubeObject): string => `${object.metadata.namespace}/${object.metadata.name}`;

type Read<T> = (object: KubeObject) => { readonly group: string; readonly value: T } | undefined;

function feed<T>(store: Grouped<T>, changed: (keys: string[]) => void, read: Read<T>): Feed {
  return {
    reset(objects) {
      const entries = objects.flatMap((object) => {
        const entry = read(object);
        return entry === undefined ? [] : [[keyOf(object), entry] as const];
      });
      changed(store.reset(new Map(entries)));
    },
    apply: (object) => changed(store.set(keyOf(object), read(object))),
    remove: (object) => changed(store.set(keyOf(object), undefined)),
  };
}

/**
 * Namespaces that are enabled. Without this guard a Function named `kubernetes` in `default` would open the API
 * server to everyone: its Service has endpoints too.
 */
function namespaceFeed(facts: Facts, changed: (keys: Iterable<string>) => void): Feed {
  const keysIn = (namespace: string): string[] =>
    facts.functions.groups().filter((key) => key.startsWith(`${namespace}/`));
  const set = (namespace: string, enabled: boolean): void => {
    if (facts.tenants.has(namespace) === enabled) return;
    if (enabled) facts.tenants.add(namespace);
    else facts.tenants.delete(namespace);
    changed(keysIn(namespace));
  };
  const enabled = (object: KubeObject): boolean => object.metadata.labels?.[LABELS.tenant] === 'true';
  return {
    reset(objects) {
      facts.tenants.clear();
      for (const object of objects) if (enabled(object)) facts.tenants.add(object.metadata.name);
      changed(facts.functions.groups());
    },
    apply: (object) => set(object.metadata.name, enabled(object)),
    remove: (object) => set(object.metadata.name, false),
  };
}

/**
 * The endpoints to call: the ready ones; when there are none though some are wanted, those that are leaving but still
 * answer (as kube-proxy does). Of a pod with addresses of both families only the first one read counts, else it would get twice its share.
 */
function callable(endpoints: readonly EndpointFacts[], wanted: boolean): EndpointFacts[] {
  const ready = endpoints.filter((endpoint) => endpoint.ready);
  const pods = new Map<string, EndpointFacts>();
  for (const endpoint of ready.length > 0 || !wanted ? ready : endpoints) {
    if (!pods.has(endpoint.pod)) pods.set(endpoint.pod, endpoint);
  }
  return [...pods.values()];
}

type RouteParts = Pick<Route, 'stats' | 'inFlight' | 'rate' | 'upstream'> & {
  readonly fn: FunctionFacts;
  readonly trigger: TriggerFacts;
  readonly endpoints: readonly EndpointFacts[];
};

function routeOf({ fn, trigger, endpoints, ...parts }: RouteParts): Route {
  const { namespace, name } = parts.stats;
  // The limit as a length, not as a moment: the clock of the pod's node may be seconds away from ours. The function counts it
  // from when it has the whole request, which is when it counts here.
  const lines =
    `X-Sless-Trigger: http\r\nX-Sless-Trigger-Name: ${trigger.name}\r\n` +
    `X-Sless-Timeout-Ms: ${fn.timeoutMs}\r\n`;
  return {
    ...parts,
    namespace,
    name,
    lines,
    prefix: prefixOf(namespace, name),
    timeoutMs: fn.timeoutMs,
    down: endpoints.length > 0 ? undefined : fn.replicas === 0 ? 'stopped' : 'unreachable',
  };
}
