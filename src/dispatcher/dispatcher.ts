import { isDeepStrictEqual } from 'node:util';
import type { Clock, MonotonicClock } from '../ports/clock.ts';
import type { Cluster } from '../ports/cluster.ts';
import type { Invocation } from '../ports/invocation-log.ts';
import type { FunctionPods, Invoker } from '../ports/invoker.ts';
import type { Logger } from '../ports/logger.ts';
import type { MessageBus } from '../ports/message-bus.ts';
import type { Tracer } from '../ports/tracer.ts';
import type { Consumer } from '../resources/trigger/consumer.ts';
import { type BrokerSettings, subscriptionOf } from './brokers.ts';
import { conditionOf } from './condition.ts';
import { type Wanted, watchConsumers } from './consumers.ts';
import { DELAYS, type DelaySettings } from './delay.ts';
import { createFunctions, type FunctionState, type Functions } from './functions.ts';
import { createLane, type Lane } from './lane.ts';
import { createReport, type Report } from './reports.ts';
import { createTriggerStats, type TriggerStats } from './stats.ts';
import { TriggerConsumer } from './trigger-consumer.ts';

export interface DispatcherDeps {
  readonly cluster: Pick<Cluster, 'watch' | 'get' | 'patch'>;
  readonly bus: Pick<MessageBus, 'consume'>;
  readonly invoker: Invoker;
  readonly pods: FunctionPods;
  readonly clock: Clock;
  readonly monotonic: MonotonicClock;
  readonly random: () => number;
  /** Fresh and safe in a header, such as `crypto.randomUUID`. */
  readonly newId: () => string;
  readonly logger: Logger;
  /** Told of every try of a message, without waiting; nobody is, where it is absent. */
  readonly record?: ((call: Invocation) => void) | undefined;
  readonly tracer?: Pick<Tracer, 'begin'> | undefined;
}

export interface DispatcherOptions extends BrokerSettings {
  readonly delays?: DelaySettings;
  /** Milliseconds that messages are kept for a function that takes none. */
  readonly holdMs?: number;
  /** Milliseconds that `close()` leaves to calls under way. */
  readonly drainMs: number;
}

/** Carries messages from queues to functions, for every event Trigger that its ConfigMap makes known. */
export interface Dispatcher {
  /** Whether all objects were seen once. Stays true while watches or brokers are away. */
  ready(): boolean;
  stats(): readonly TriggerStats[];
  close(): Promise<void>;
}

const HOLD_MS = 60_000;

/** One Trigger that is served. */
interface Served {
  readonly consumer: Consumer;
  readonly stats: TriggerStats;
  seen(wanted: Wanted): void;
  close(drainMs: number): Promise<void>;
}

export function createDispatcher(deps: DispatcherDeps, options: DispatcherOptions): Dispatcher {
  const functions = createFunctions(deps);
  const served = new Map<string, Served>();
  const lanes = new Map<string, Lane>();
  /** Those that end: their calls may take as long as their functions may. */
  const ending = new Set<Promise<void>>();
  let latest: ReadonlyMap<string, Wanted> = new Map();

  const end = (key: string, one: Served): void => {
    served.delete(key);
    const done = one.close(one.consumer.timeoutSeconds * 1000).finally(() => {
      ending.delete(done);
      if (!served.has(key) && lanes.get(key)?.running === 0) lanes.delete(key);
    });
    ending.add(done);
  };
  const settle = (keys: Iterable<string>): void => {
    if (!functions.ready()) return;
    for (const key of keys) {
      const [wanted, known] = [latest.get(key), served.get(key)];
      const isSame = known !== undefined && isDeepStrictEqual(wanted?.consumer, known.consumer);
      if (known !== undefined && !isSame) end(key, known);
      if (wanted === undefined) continue;
      if (known !== undefined && isSame) known.seen(wanted);
      else {
        const lane = lanes.get(key) ?? createLane();
        lanes.set(key, lane);
        served.set(key, serve(wanted, functions, { deps, options, lane }));
      }
    }
  };
  const consumers = watchConsumers({
    ...deps,
    changed: (wanted, touched) => {
      latest = wanted;
      settle(touched);
    },
  });
  functions.whenReady(() => settle(latest.keys()));

  return {
    ready: () => consumers.ready() && functions.ready(),
    stats: () => [...served.values()].map(({ stats }) => stats),
    async close() {
      consumers.close();
      const all = [...served.values()].map((one) => one.close(options.drainMs));
      served.clear();
      await Promise.race([Promise.all([...all, ...ending]), after(options.drainMs + 1000)]);
      functions.close();
    },
  };
}

const after = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => void setTimeout(resolve, milliseconds).unref());

interface ServeContext {
  readonly deps: DispatcherDeps;
  readonly options: DispatcherOptions;
  readonly lane: Lane;
}

function serve(
  { consumer, configMap }: Wanted,
  functions: Functions,
  { deps, options, lane }: ServeContext,
): Served {
  const { namespace, trigger, function: name } = consumer;
  const stats = createTriggerStats(namespace, trigger);
  const report = createReport(deps, configMap);
  const seen = (wanted: Wanted): void => report.seen(wanted.configMap);
  const times = { delays: options.delays ?? DELAYS, holdMs: options.holdMs ?? HOLD_MS };
  let running: TriggerConsumer | undefined;
  const follow = (state: FunctionState): void => running?.functionIs(state);
  try {
    const subscription = subscriptionOf(consumer, options, deps.cluster);
    const state = functions.follow(namespace, name, follow);
    running = new TriggerConsumer(
      subscription,
      { consumer, state },
      { ...deps, ...times, stats, lane, changed: (condition) => report.say(condition) },
    );
  } catch (problem) {
    return refused(problem, { consumer, stats, report, seen });
  }
  const started = running;
  return {
    consumer,
    stats,
    seen,
    async close(drainMs) {
      report.close();
      await started.close(drainMs);
      functions.unfollow(namespace, name, follow);
    },
  };
}

type Parts = Pick<Served, 'consumer' | 'stats' | 'seen'> & { readonly report: Report };

/** A Trigger that asks for what it may not have: it says so, and consumes nothing until it is changed. */
function refused(problem: unknown, { report, ...parts }: Parts): Served {
  const bus = { connected: false, problem: problem as Error } as const;
  report.say(conditionOf({ bus, function: { ready: true }, stuck: undefined, isBusy: false }));
  return { ...parts, close: async () => report.close() };
}
