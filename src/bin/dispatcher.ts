import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createAmqpBus } from '../adapters/amqp/bus.ts';
import { createPodInvoker } from '../adapters/pod-invoker.ts';
import type { Config } from '../config/config.ts';
import { createDispatcher } from '../dispatcher/dispatcher.ts';
import { metricsText } from '../dispatcher/metrics-text.ts';
import { createLogger } from '../telemetry/logger.ts';
import { createMetrics, serveMetrics } from '../telemetry/metrics.ts';
import { health } from './health.ts';
import { ALL } from './home.ts';
import { openInvocations } from './invocations.ts';
import { connectKubernetes } from './kubernetes.ts';
import { stopOnSignal } from './lifetime.ts';
import { listen } from './listening.ts';
import { openTracer } from './tracing.ts';

/** Kubernetes leaves a pod 30 s; calls under way get most of it, and messages of those that last longer go back. */
const DRAIN_MS = 25_000;

/** Carries messages from queues to functions until the process is told to end. */
export async function runDispatcher(config: Config): Promise<void> {
  const logger = createLogger({ level: config.logLevel });
  const { cluster, connection } = connectKubernetes(config, logger);
  const clocks = { clock: Date, monotonic: performance, random: Math.random };
  const { invoker, pods, close: closeInvoker } = createPodInvoker(clocks);
  const bus = createAmqpBus();
  const calls = openInvocations(config, logger);
  const tracer = await openTracer(config, 'dispatcher');
  const dispatcher = createDispatcher(
    { ...clocks, cluster, bus, invoker, pods, newId: randomUUID, logger, record: calls?.record, tracer },
    {
      url: brokerUrl(config),
      queueTemplate: config.eventsQueueTemplate,
      allowedHosts: config.brokerHosts ?? [],
      drainMs: DRAIN_MS,
    },
  );
  let ending = false;
  const { server, port, drain } = await listen({}, { host: ALL, port: config.port });
  server.on(
    'request',
    health(() => !ending && dispatcher.ready(), 'there is nothing here; messages come from the broker'),
  );
  const metrics = await serveMetrics(
    createMetrics(() => metricsText(dispatcher.stats()) + (calls?.metrics() ?? '')),
    { host: ALL, port: config.metricsPort },
  );
  logger.info({ port, metricsPort: metrics.port }, 'dispatcher listens');
  stopOnSignal(logger, 'dispatcher', async () => {
    ending = true;
    await dispatcher.close();
    await Promise.all([bus.close(), drain.close(1000)]);
    closeInvoker();
    await Promise.all([calls?.close(), tracer?.close()]);
    metrics.close();
    await connection.close();
  });
}

/** The file before the variable: whoever has both is on the way from the one to the other. */
function brokerUrl({ rabbitmqUrl, rabbitmqUrlFile }: Config): (() => Promise<string>) | undefined {
  if (rabbitmqUrlFile !== undefined) return async () => (await readFile(rabbitmqUrlFile, 'utf8')).trim();
  return rabbitmqUrl === undefined ? undefined : async () => rabbitmqUrl;
}
