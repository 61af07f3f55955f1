import { expect, test } from 'vitest';
import { functionMetrics } from './fn-metrics.ts';
import { createMetrics, serveMetrics } from './metrics.ts';

const stats = {
  namespace: 'ns',
  name: 'hello',
  inFlight: 2,
  byClass: [1, 0, 5, 0, 0, 3],
  buckets: [4, 1, 2],
  durationSum: 1.5,
  bytesIn: 10,
  bytesOut: 20,
};

test('counts of functions are written as Prometheus reads them, buckets added up', () => {
  const text = functionMetrics({ functions: [stats], refused: new Map([['NotFound', 7]]), bounds: [0.1, 1] });
  expect(text).toContain('sless_fn_requests_total{namespace="ns",function="hello",class="5xx"} 3\n');
  expect(text).toContain('sless_fn_in_flight{namespace="ns",function="hello"} 2\n');
  expect(text).toContain('sless_fn_bytes_total{namespace="ns",function="hello",direction="out"} 20\n');
  expect(text).toContain('sless_fn_refused_total{code="NotFound"} 7\n');
  expect(text).toContain('_bucket{namespace="ns",function="hello",le="0.1"} 4\n');
  expect(text).toContain('_bucket{namespace="ns",function="hello",le="1"} 5\n');
  expect(text).toContain('_bucket{namespace="ns",function="hello",le="+Inf"} 7\n');
  expect(text).toContain('_count{namespace="ns",function="hello"} 7\n');
  for (const line of text.trimEnd().split('\n'))
    expect(line).toMatch(/^(# (HELP|TYPE) \w+ .+|\w+(\{[^}]*\})? [\d.]+)$/);
});

test('/metrics answers with everything, and nothing else is there', async () => {
  const metrics = createMetrics(() => 'more_of_it 1\n');
  metrics.observe({ method: 'GET', route: '/v1/x', status: 200, seconds: 0.01 });
  const server = await serveMetrics(metrics, { host: '127.0.0.1', port: 0 });
  const root = `http://127.0.0.1:${server.port}`;
  const [answer, other] = await Promise.all([fetch(`${root}/metrics`), fetch(`${root}/`)]);
  const text = await answer.text();
  server.close();
  expect(text).toContain('sless_api_requests_total{method="GET",route="/v1/x",status="200"} 1');
  expect(text).toMatch(/more_of_it 1\n$/);
  expect(text).toContain('process_cpu_user_seconds_total');
  expect(other.status).toBe(404);
});
