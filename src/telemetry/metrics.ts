import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Counter, collectDefaultMetrics, Histogram, Registry } from 'prom-client';

/** One answered request of the api. All three words come from small fixed sets. */
export interface AnsweredRequest {
  readonly method: string;
  readonly route: string;
  readonly status: number;
  readonly seconds: number;
}

/** The metrics of one process. */
export interface Metrics {
  /** Counts a request of the api. */
  observe(request: AnsweredRequest): void;
  /** Counts a review of uploaded code; its outcomes are few words. */
  observeReview(outcome: string): void;
  /** Counts an answer of a hook, by its path. */
  observeHook(hook: string, seconds: number, isGood: boolean): void;
  /** Counts a build that is over: `succeeded`, or the error code of its failure. */
  observeBuild(outcome: string): void;
  /** The Prometheus text format; `more` is asked for lines of others' making. */
  text(): Promise<string>;
  /** Its content type. */
  readonly contentType: string;
}

/** `more` gives metrics that are kept elsewhere, in the text format. */
export function createMetrics(more: () => string = () => ''): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const labelNames = ['method', 'route', 'status'];
  const requests = new Counter({
    name: 'sless_api_requests_total',
    help: 'Requests that the api answered.',
    labelNames,
    registers: [registry],
  });
  const seconds = new Histogram({
    name: 'sless_api_request_seconds',
    help: 'How long the api took to answer.',
    labelNames: ['method', 'route'],
    registers: [registry],
  });
  const reviews = new Counter({
    name: 'sless_reviews_total',
    help: 'Uploads that were reviewed, by what came of it.',
    labelNames: ['outcome'],
    registers: [registry],
  });
  const hooks = new Histogram({
    name: 'sless_hook_duration_seconds',
    help: 'How long hooks took to answer.',
    labelNames: ['hook', 'outcome'],
    // Metacontroller gives up after 10 s; a hook is pure and takes milliseconds.
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1, 5, 10],
    registers: [registry],
  });
  const builds = new Counter({
    name: 'sless_builds_total',
    help: 'Builds that are over, by what came of them.',
    labelNames: ['outcome'],
    registers: [registry],
  });
  return {
    observeHook: (hook, took, isGood) => hooks.observe({ hook, outcome: isGood ? 'ok' : 'error' }, took),
    observeBuild: (outcome) => builds.inc({ outcome }),
    observeReview: (outcome) => reviews.inc({ outcome }),
    observe: ({ method, route, status, seconds: took }) => {
      requests.inc({ method, route, status });
      seconds.observe({ method, route }, took);
    },
    text: async () => (await registry.metrics()) + more(),
    contentType: registry.contentType,
  };
}

/** A listening server. */
export interface MetricsServer {
  readonly port: number;
  close(): void;
}

/** Serves `/metrics` on a port of its own, which never belongs in an Ingress. Fails when the port is taken. */
export async function serveMetrics(
  metrics: Metrics,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<MetricsServer> {
  const server = createServer(async (request, response) => {
    if (request.url !== '/metrics') return void response.writeHead(404).end();
    try {
      const text = await metrics.text();
      response.writeHead(200, { 'content-type': metrics.contentType }).end(text);
    } catch {
      response.writeHead(500).end();
    }
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  return {
    // A server that listens on TCP has an address.
    port: (server.address() as AddressInfo).port,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
