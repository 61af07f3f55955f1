import type { Config } from '../config/config.ts';
import { createOperator } from '../operator/app.ts';
import { serveOperator } from '../operator/server.ts';
import { createLogger } from '../telemetry/logger.ts';
import { createMetrics, serveMetrics } from '../telemetry/metrics.ts';
import { ALL } from './home.ts';
import { hookSettings } from './hook-settings.ts';
import { drainAll, stopOnSignal } from './lifetime.ts';

/** Serves the webhooks until the process is told to end. */
export async function runOperator(config: Config): Promise<void> {
  const logger = createLogger({ level: config.logLevel });
  let ending = false;
  const ready = (): boolean => !ending;
  const counts = createMetrics();
  const observe = counts.observeHook;
  const app = createOperator({ settings: hookSettings(config), clock: Date, logger, ready, observe });
  const { tlsCertFile, tlsKeyFile } = config;
  const tls =
    tlsCertFile === undefined || tlsKeyFile === undefined
      ? {}
      : { tls: { certFile: tlsCertFile, keyFile: tlsKeyFile } };
  const server = await serveOperator(app, { host: ALL, port: config.operatorPort, ...tls }, logger);
  const metrics = await serveMetrics(counts, { host: ALL, port: config.metricsPort });
  logger.info({ port: server.port, metricsPort: metrics.port, tls: 'tls' in tls }, 'operator ready');
  stopOnSignal(logger, 'operator', async () => {
    ending = true;
    await drainAll([server.drain], config.drainDelay);
    metrics.close();
  });
}
