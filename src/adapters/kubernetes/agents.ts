import { isDeepStrictEqual } from 'node:util';
import { Agent, type Dispatcher, ProxyAgent } from 'undici';
import type { Access } from './access.ts';

/** Two pools of connections to one API server: watches and logs must never keep requests waiting. */
export interface Agents {
  readonly requests: Dispatcher;
  readonly streams: Dispatcher;
}

/** The agents for what the API server must be shown now. */
export interface AgentKeeper {
  for(access: Access): Agents;
  /** Ends every connection at once. */
  destroy(): Promise<void>;
}

/** client-go sends 400 requests a second at most in controllers of this size; sixteen connections carry far more. */
const MAX_CONNECTIONS = 16;
/** Below the minute after which common load balancers forget an idle connection; API servers wait 90 s and longer. */
const IDLE_MS = 30_000;
const CONNECT_TIMEOUT_MS = 10_000;
const KEEP_ALIVE_PROBE_MS = 30_000;

/** Makes new pools when the certificates change. Whatever runs over the old ones may end in peace. */
export function createAgentKeeper(): AgentKeeper {
  let current: { readonly access: Access; readonly agents: Agents } | undefined;
  const retired = new Set<Dispatcher>();
  const retire = (dispatcher: Dispatcher) => {
    retired.add(dispatcher);
    void dispatcher.close().finally(() => retired.delete(dispatcher));
  };
  return {
    for: (access) => {
      if (current !== undefined && sameEndpoint(current.access, access)) return current.agents;
      if (current !== undefined) Object.values(current.agents).forEach(retire);
      const agents = { requests: agent(access, MAX_CONNECTIONS), streams: agent(access, null) };
      current = { access, agents };
      return agents;
    },
    destroy: async () => {
      const all = [...retired, ...Object.values(current?.agents ?? {})];
      current = undefined;
      await Promise.all(all.map((dispatcher) => dispatcher.destroy()));
    },
  };
}

function sameEndpoint(one: Access, other: Access): boolean {
  if (one === other) return true;
  return (
    one.server === other.server && one.proxyUrl === other.proxyUrl && isDeepStrictEqual(one.tls, other.tls)
  );
}

function agent({ tls, proxyUrl }: Access, connections: number | null): Dispatcher {
  const options = {
    connections,
    pipelining: 1,
    keepAliveTimeout: IDLE_MS,
    keepAliveMaxTimeout: IDLE_MS,
  };
  const socket = { timeout: CONNECT_TIMEOUT_MS, keepAlive: true, keepAliveInitialDelay: KEEP_ALIVE_PROBE_MS };
  return proxyUrl === undefined
    ? new Agent({ ...options, connect: { ...tls, ...socket } })
    : new ProxyAgent({ ...options, uri: proxyUrl, requestTls: { ...tls, ...socket } });
}
