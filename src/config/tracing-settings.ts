import * as parse from './parse.ts';
import { setting } from './setting.ts';

/** The part of the table that is about traces. The names are those of OpenTelemetry. */
export const TRACING_SETTINGS = {
  otlpEndpoint: setting({
    name: 'OTEL_EXPORTER_OTLP_ENDPOINT',
    roles: ['proxy', 'dispatcher'],
    defaultNote: 'traces are passed on and not told of',
    meaning: 'URL of an OpenTelemetry collector that takes OTLP over HTTP, such as http://collector:4318.',
    parse: parse.baseUrl,
  }),
  traceRatio: setting({
    name: 'OTEL_TRACES_SAMPLER_ARG',
    roles: ['proxy', 'dispatcher'],
    default: '1',
    meaning:
      'The share of traces that begin here and are told of, from 0 to 1. Of others their callers decide.',
    parse: share,
  }),
} as const;

function share(value: string): number {
  const number = Number(value);
  if (!/^\d(\.\d{1,9})?$/.test(value) || number > 1)
    throw new Error('must be a number from 0 to 1, such as 0.1');
  return number;
}
