import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { ErrorCode } from '../../errors.ts';
import type { MonotonicClock } from '../../ports/clock.ts';
import type { Cluster } from '../../ports/cluster.ts';
import type { Logger } from '../../ports/logger.ts';
import type { Tracer } from '../../ports/tracer.ts';
import { createPools } from '../../upstream/pool.ts';
import { createReadBuffers } from '../../upstream/read-buffers.ts';
import { createIds } from '../caller/ids.ts';
import { createPeers } from '../caller/peers.ts';
import { createRate } from '../rate/rate.ts';
import { createArrivals } from './arrivals.ts';
import type { CallLog } from './call-log.ts';
import type { ExchangeDeps } from './exchange.ts';
import { type ProxyOptions, settingsOf } from './options.ts';
import { createReception, type Manner } from './reception.ts';
import { createRouteTable } from './routes/route-table.ts';
import { watchRoutes } from './routes/route-watch.ts';
import { createRunning, type Running } from './running.ts';
import type { ProxyStats } from './stats.ts';
import { responseOn, upgradeWish } from './upgrade.ts';

export interface ProxyDeps {
  readonly cluster: Pick<Cluster, 'watch'>;
  readonly logger: Logger;
  /** All limits and ages of the proxy are lengths: a wall clock that is set must not end calls, or let them live. */
  readonly monotonic: MonotonicClock;
  /** Numbers from 0 to 1, such as `Math.random`: among very many pods it says where to look for an idle one. */
  readonly random: () => number;
  /** Told of every call of a function that there is; nobody is, where it is absent. */
  readonly calls?: CallLog | undefined;
  readonly tracer?: Tracer | undefined;
}

/** `/fn`, on the objects of node:http. `listenWith` wires it to a server. */
export interface FunctionProxy {
  /** For the server's `request` event. Every request that comes here is answered. */
  handle(request: IncomingMessage, response: ServerResponse): void;
  /** For `checkContinue`: the caller sends its body only once it was let in. */
  handleExpecting(request: IncomingMessage, response: ServerResponse): void;
  /** For `upgrade`. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  /** Whether the routes are known. Stays true when the watch is lost: the last known ones stand. */
  ready(): boolean;
  stats(): ProxyStats;
  /** Lets what is in flight end within the drain time, each answer with `Connection: close`; then frees everything. */
  close(): Promise<void>;
}

/** Throws `InvalidRequest` for options that make no sense. */
export function createProxy(deps: ProxyDeps, options: ProxyOptions): FunctionProxy {
  const settings = settingsOf(options);
  const now = (): number => deps.monotonic.now();
  const pools = createPools({ ...settings, now, random: deps.random, buffers: createReadBuffers() });
  const { ratePerFunction } = settings;
  const rate = () => (ratePerFunction === undefined ? undefined : createRate(ratePerFunction, now));
  const table = createRouteTable({ pool: () => pools.create(), rate }, settings);
  const watch = watchRoutes(table, deps);
  const ids = createIds();
  const refused = new Map<ErrorCode, number>();
  const running = createRunning(now);
  let draining = false;

  const { peerOf, callerOf } = createPeers(settings.trustedProxies);
  const exchangeDeps: ExchangeDeps = {
    ...{
      settings,
      ids,
      now,
      logger: deps.logger,
      calls: deps.calls,
      running,
      callerOf,
      arrivals: createArrivals(),
    },
    draining: () => draining,
    refused: ({ code }) => refused.set(code, (refused.get(code) ?? 0) + 1),
  };
  const receive = createReception({ ...exchangeDeps, peerOf, tracer: deps.tracer }, table.find);

  return {
    handle(request, response) {
      if (draining) response.shouldKeepAlive = false;
      receive({ request, response }, PLAIN);
    },
    handleExpecting(request, response) {
      if (draining) response.shouldKeepAlive = false;
      receive({ request, response }, EXPECTING);
    },
    upgrade(request, duplex, early) {
      // node:http types the socket as Duplex for the sake of exotic servers; ours are net.Sockets.
      const socket = duplex as Socket;
      const response = responseOn(request, socket);
      receive(
        { request, response },
        { expectsContinue: false, upgrade: upgradeWish(request, socket, early) },
      );
    },
    ready: watch.ready,
    stats: () => ({ routes: table.stats, refused }),
    async close() {
      draining = true;
      watch.close();
      await emptied(running, now, settings.drainMs);
      running.killAll();
      table.close();
      pools.close();
      running.close();
    },
  };
}

const PLAIN: Manner = { expectsContinue: false, upgrade: undefined };
const EXPECTING: Manner = { expectsContinue: true, upgrade: undefined };

/** Waits until nothing is left, for so long at most. */
async function emptied(running: Running, now: () => number, milliseconds: number): Promise<void> {
  const until = now() + milliseconds;
  while (running.size > 0 && now() < until) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
