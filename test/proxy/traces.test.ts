import { createServer } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { createTracer } from '../../src/telemetry/tracer.ts';
import { listen, pod, stage, until } from './stage.ts';

interface OtlpSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly status: { readonly code?: number };
  readonly attributes: readonly { readonly key: string; readonly value: object }[];
}

/** Takes OTLP over HTTP as a collector does. */
async function collector(): Promise<{ url: string; spans: OtlpSpan[]; services: unknown[] }> {
  const [spans, services]: [OtlpSpan[], unknown[]] = [[], []];
  const server = createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (piece) => {
      text += piece;
    });
    request.on('end', () => {
      expect(request.url).toBe('/v1/traces');
      for (const resource of JSON.parse(text).resourceSpans) {
        services.push(resource.resource.attributes);
        for (const scope of resource.scopeSpans) spans.push(...scope.spans);
      }
      response.end('{}');
    });
  });
  const port = await listen(server);
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${port}`, spans, services };
}

test('a collector is told of calls, as part of their callers’ traces, and functions continue them', async () => {
  const { url: endpoint, spans, services } = await collector();
  const tracer = createTracer({ endpoint, service: 'sless-proxy', version: '1.2.3', ratio: 1 });
  const { url, serve } = await stage({}, { tracer });
  const heard: (string | undefined)[] = [];
  const { port } = await pod((request, response) => {
    heard.push(request.headers.traceparent as string);
    response.writeHead(request.method === 'PUT' ? 500 : 200).end();
  });
  serve('ns', 'f', [port]);
  const trace = '0af7651916cd43dd8448eb211c80319c';
  await fetch(`${url}/fn/ns/f/secret`, { headers: { traceparent: `00-${trace}-b7ad6b7169203331-01` } });
  await fetch(`${url}/fn/ns/f`, { headers: { traceparent: `00-${trace}-b7ad6b7169203331-00` } });
  await fetch(`${url}/fn/ns/f`, { method: 'PUT' });
  await until(() => heard.length === 3);
  await tracer.close();
  // The second caller asked for no record of its trace.
  expect(spans).toHaveLength(2);
  const [first, third] = spans as [OtlpSpan, OtlpSpan];
  expect(first).toMatchObject({ traceId: trace, parentSpanId: 'b7ad6b7169203331', name: 'call' });
  expect(heard).toEqual([
    `00-${trace}-${first.spanId}-01`,
    expect.stringMatching(new RegExp(`^00-${trace}-[0-9a-f]{16}-00$`)),
    `00-${third.traceId}-${third.spanId}-01`,
  ]);
  expect(first.attributes).toContainEqual({ key: 'http.response.status_code', value: { intValue: 200 } });
  expect(JSON.stringify(spans)).not.toContain('secret');
  expect(third.status.code).toBe(2);
  expect(services[0]).toContainEqual({ key: 'service.name', value: { stringValue: 'sless-proxy' } });
});
