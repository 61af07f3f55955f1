import { randomUUID } from 'node:crypto';
import type { RequestListener } from 'node:http';
import { join } from 'node:path';
import { createKubernetesAccessReview } from '../adapters/kubernetes/access-review.ts';
import type { Connection } from '../adapters/kubernetes/connection.ts';
import { createKubernetesPodLogs } from '../adapters/kubernetes/pod-logs.ts';
import { createKubernetesTokenReview } from '../adapters/kubernetes/token-review.ts';
import { acceptsAnonymousPush } from '../adapters/registry-probe.ts';
import type { Config } from '../config/config.ts';
import { createApi } from '../gateway/api/app.ts';
import type { ApiApp, ApiDeps, ApiOptions } from '../gateway/api/deps.ts';
import { cacheAccess } from '../gateway/auth/access-cache.ts';
import { belongsToConsole } from '../gateway/console/app.ts';
import type { ConsoleApp } from '../gateway/console/deps.ts';
import { boundConnections } from '../gateway/entrance/connections.ts';
import { receive, SERVER_OPTIONS } from '../gateway/entrance/server.ts';
import { webListener } from '../gateway/entrance/web-listener.ts';
import { createInternal } from '../gateway/internal/app.ts';
import { belongsToProxy } from '../gateway/proxy/belongs.ts';
import { metricsText } from '../gateway/proxy/metrics-text.ts';
import { createProxy, type FunctionProxy } from '../gateway/proxy/proxy.ts';
import { listenWith } from '../gateway/proxy/server.ts';
import type { Drain } from '../listener/drain.ts';
import type { Logger } from '../ports/logger.ts';
import { createReporter } from '../reporter/reporter.ts';
import { loadRuntimes } from '../runtimes/catalogue.ts';
import { startSecretCopies } from '../secret-copies/secret-copies.ts';
import { createContextPreparer } from '../source/preparer.ts';
import { createLogger } from '../telemetry/logger.ts';
import { createMetrics, serveMetrics } from '../telemetry/metrics.ts';
import { createAuthenticator } from './authenticator.ts';
import { connectionLimits } from './connections.ts';
import { openConsole } from './console.ts';
import { copiedSecrets } from './copied-secrets.ts';
import { ALL, HOME, installedVersion } from './home.ts';
import { openInvocations } from './invocations.ts';
import { connectKubernetes } from './kubernetes.ts';
import { drainAll, stopOnSignal } from './lifetime.ts';
import { listen } from './listening.ts';
import { proxyOptions } from './proxy.ts';
import { openRegistryFetch } from './registry-access.ts';
import { openReviewGate } from './review.ts';
import { openStore } from './store.ts';
import { probeStore } from './store-probe.ts';
import { emptyUploadsFolder } from './uploads-folder.ts';

/** Serves REST and the routes for build pods, and reports on pods, until the process is told to end. */
export async function runApi(config: Config, proxyConfig: Config | undefined): Promise<void> {
  const logger = createLogger({ level: config.logLevel });
  const { cluster, connection } = connectKubernetes(config, logger);
  const store = openStore(config);
  const preparer = createContextPreparer();
  const base = { cluster, store, clock: Date, random: Math.random, logger };
  const calls = openInvocations(config, logger, { retentionDays: config.invocationsRetentionDays });
  const proxy =
    proxyConfig === undefined
      ? undefined
      : createProxy({ ...base, monotonic: performance, calls }, proxyOptions(proxyConfig));
  const metrics = createMetrics(() => (proxy ? metricsText(proxy.stats()) : '') + (calls?.metrics() ?? ''));
  const logs = createKubernetesPodLogs({ connection });
  const { observeBuild, observeReview } = metrics;
  const reporter = createReporter({ ...base, logs, record: calls?.record, observeBuild });
  const { systemNamespace } = config;
  const copies = startSecretCopies(base, { systemNamespace, secrets: copiedSecrets(config) });
  const review = openReviewGate({ store, logger, observe: observeReview }, config);
  const probe = probeStore(store, logger);
  const ending = new AbortController();
  const deps: ApiDeps = {
    ...{ ...base, preparer, logs, ending: ending.signal },
    ...createGuards(config, connection, logger),
    ...(review === undefined ? {} : { review }),
    ...(calls === undefined ? {} : { invocations: calls.log }),
    runtimes: loadRuntimes(join(HOME, 'runtimes')),
    newId: randomUUID,
    observe: metrics.observe,
    ready: () => probe.answered() && reporter.ready() && (proxy?.ready() ?? true),
  };
  const api = createApi(deps, apiOptions(config, await emptyUploadsFolder(config)));
  const pages = openConsole({ ...deps, api }, config, { withProxy: proxy !== undefined });
  const internal = createInternal({ ...base, tokens: createKubernetesTokenReview({ connection }) });
  const draining = [
    await serveFront({ api, pages }, config, { proxy, proxyConfig }),
    await serveInternal(webListener(internal), config.internalPort),
    ...(proxy === undefined ? [] : [proxy]),
  ];
  const metricsServer = await serveMetrics(metrics, { host: ALL, port: config.metricsPort });
  logger.info({ port: config.port, proxy: proxy !== undefined }, 'api listens');
  void warnOfOpenRegistry(config, logger);
  stopOnSignal(logger, 'api', async () => {
    ending.abort();
    probe.close();
    await drainAll(draining, config.drainDelay);
    reporter.close();
    copies.close();
    metricsServer.close();
    await Promise.all([preparer.close(), connection.close(), calls?.close()]);
    store.close();
  });
}

/** Who may come in, and where to. */
function createGuards(
  config: Config,
  connection: Connection,
  logger: Logger,
): Pick<ApiDeps, 'authenticator' | 'access'> {
  const authenticator = createAuthenticator(config, logger);
  if (!config.authRbac) return { authenticator };
  const access = createKubernetesAccessReview({ connection });
  return { authenticator, access: cacheAccess({ access, clock: Date }) };
}

/** Whoever may push into the registry can put code into any function. */
async function warnOfOpenRegistry(config: Config, logger: Logger): Promise<void> {
  const { registryHost: registry, registryInsecure: insecure } = config;
  if (registry === undefined) return;
  const access = openRegistryFetch(config);
  const isOpen = await acceptsAnonymousPush(access.fetch, { registry, insecure });
  await access.close();
  if (isOpen === undefined)
    logger.warn({ registry }, 'whether the registry takes pushes without a login could not be found out');
  if (isOpen)
    logger.warn({ registry }, 'THE REGISTRY TAKES PUSHES WITHOUT A LOGIN: tenants must trust each other');
}

function apiOptions(config: Config, temporaryFolder: string): ApiOptions {
  const { s3Bucket: bucket = '', trustedProxies = [], uploadsPerTenant, uploadsTotal, ratePerToken } = config;
  return {
    bucket,
    version: installedVersion(),
    trustedProxies,
    temporaryFolder,
    uploadsPerTenant,
    uploadsTotal,
    ratePerToken,
  };
}

interface Front {
  readonly proxy: FunctionProxy | undefined;
  readonly proxyConfig: Config | undefined;
}

async function serveFront(
  { api, pages }: { readonly api: ApiApp; readonly pages: ConsoleApp },
  config: Config,
  { proxy, proxyConfig }: Front,
): Promise<Drain> {
  const { server, drain } = await listen(SERVER_OPTIONS, { host: ALL, port: config.port });
  boundConnections(server, connectionLimits(config));
  const [ofApi, ofConsole] = [webListener(api), webListener(pages)];
  const otherwise: RequestListener = (request, response) =>
    (belongsToConsole(request.url) ? ofConsole : ofApi)(request, response);
  if (proxy === undefined || proxyConfig === undefined) {
    receive(server, { request: otherwise });
    return drain;
  }
  const hosts = proxyOptions(proxyConfig);
  listenWith(server, { proxy, belongs: (request) => belongsToProxy(request, hosts), otherwise });
  return drain;
}

async function serveInternal(listener: RequestListener, port: number): Promise<Drain> {
  const { server, drain } = await listen({ requireHostHeader: false }, { host: ALL, port });
  receive(server, { request: listener });
  return drain;
}
