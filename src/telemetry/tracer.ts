import { type Context, ROOT_CONTEXT, SpanKind, SpanStatusCode, TraceFlags, trace } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { Tracer } from '../ports/tracer.ts';

interface TracerOptions {
  /** Of an OpenTelemetry collector that takes OTLP over HTTP: `http://collector:4318`. */
  readonly endpoint: string;
  /** Such as `sless-proxy`. */
  readonly service: string;
  readonly version: string;
  /** The share of traces that begin here and are told of; a trace that a caller began is as the caller says. */
  readonly ratio: number;
}

const KINDS = { server: SpanKind.SERVER, consumer: SpanKind.CONSUMER } as const;
/** What is left of a pod's end for it. */
const CLOSE_MS = 2000;

/** Spans by the official library. While the collector is away they are dropped beyond 2048. */
export function createTracer({ endpoint, service, version, ratio }: TracerOptions): Tracer {
  const exporter = new OTLPTraceExporter({ url: `${endpoint.replace(/\/+$/, '')}/v1/traces` });
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': service, 'service.version': version }),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(ratio) }),
    spanProcessors: [new BatchSpanProcessor({ exporter })],
  });
  const tracer = provider.getTracer('sless');
  return {
    begin({ name, kind, parent, attributes }) {
      const span = tracer.startSpan(name, { kind: KINDS[kind], attributes }, contextOf(parent));
      const { traceId, spanId, traceFlags } = span.spanContext();
      return {
        traceparent: `00-${traceId}-${spanId}-${traceFlags & TraceFlags.SAMPLED ? '01' : '00'}`,
        end({ status, reason }) {
          if (status !== undefined) span.setAttribute('http.response.status_code', status);
          if (reason !== undefined) span.setAttribute('error.type', reason);
          if (reason !== undefined || (status ?? 0) >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
          span.end();
        },
      };
    },
    close: () =>
      Promise.race([
        provider.shutdown().catch(() => {}),
        new Promise<void>((resolve) => void setTimeout(resolve, CLOSE_MS).unref()),
      ]),
  };
}

/** `parent` is well formed: whoever passes it on has looked. */
function contextOf(parent: string | undefined): Context {
  if (parent === undefined) return ROOT_CONTEXT;
  const [, traceId = '', spanId = '', flags = '00'] = parent.split('-');
  const traceFlags = Number.parseInt(flags, 16) & TraceFlags.SAMPLED;
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote: true });
}
