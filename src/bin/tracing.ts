import type { Config } from '../config/config.ts';
import type { Tracer } from '../ports/tracer.ts';
import { installedVersion } from './home.ts';

/** Tells a collector of traces, where the installation has one. The library is loaded only then. */
export async function openTracer(
  { otlpEndpoint: endpoint, traceRatio: ratio }: Config,
  role: string,
): Promise<Tracer | undefined> {
  if (endpoint === undefined) return undefined;
  const { createTracer } = await import('../telemetry/tracer.ts');
  return createTracer({ endpoint, ratio, service: `sless-${role}`, version: installedVersion() });
}
