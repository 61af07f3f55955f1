import type { Config } from '../config/config.ts';
import { boundConnections } from '../gateway/entrance/connections.ts';
import { SERVER_OPTIONS } from '../gateway/entrance/server.ts';
import { belongsToProxy } from '../gateway/proxy/belongs.ts';
import { metricsText } from '../gateway/proxy/metrics-text.ts';
import type { ProxyOptions } from '../gateway/proxy/options.ts';
import { createProxy } from '../gateway/proxy/proxy.ts';
import { listenWith } from '../gateway/proxy/server.ts';
import { createLogger } from '../telemetry/logger.ts';
import { createMetrics, serveMetrics } from '../telemetry/metrics.ts';
import { connectionLimits } from './connections.ts';
import { health } from './health.ts';
import { ALL } from './home.ts';
import { openInvocations } from './invocations.ts';
import { connectKubernetes } from './kubernetes.ts';
import { drainAll, drainMs, stopOnSignal } from './lifetime.ts';
import { listen } from './listening.ts';
import { openTracer } from './tracing.ts';

/** Serves `/fn` until the process is told to end. */
export async function runProxy(config: Config): Promise<void> {
  const logger = createLogger({ level: config.logLevel });
  const { cluster, connection } = connectKubernetes(config, logger);
  const options = proxyOptions(config);
  const calls = openInvocations(config, logger);
  const tracer = await openTracer(config, 'proxy');
  const proxy = createProxy(
    { cluster, logger, monotonic: performance, random: Math.random, calls, tracer },
    options,
  );
  let ending = false;
  const { server, port, drain } = await listen(SERVER_OPTIONS, { host: ALL, port: config.port });
  boundConnections(server, connectionLimits(config));
  listenWith(server, {
    proxy,
    belongs: (request) => belongsToProxy(request, options),
    otherwise: health(() => !ending && proxy.ready(), 'there is nothing here; functions are at /fn'),
  });
  const metrics = await serveMetrics(
    createMetrics(() => metricsText(proxy.stats()) + (calls?.metrics() ?? '')),
    { host: ALL, port: config.metricsPort },
  );
  logger.info({ port, metricsPort: metrics.port }, 'proxy listens');
  stopOnSignal(logger, 'proxy', async () => {
    ending = true;
    await drainAll([drain, proxy], config.drainDelay);
    await Promise.all([calls?.close(), tracer?.close()]);
    metrics.close();
    await connection.close();
  });
}

/** What an installation says of its proxy. */
export function proxyOptions(config: Config): ProxyOptions {
  return {
    host: config.fnHost,
    domain: config.fnDomain,
    maxBody: config.fnMaxBody,
    trustedProxies: config.trustedProxies,
    ratePerFunction: config.ratePerFunction,
    drainMs: drainMs(config.drainDelay),
  };
}
