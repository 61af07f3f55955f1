import { expect, test } from 'vitest';
import { createMetrics, serveMetrics } from './metrics.ts';

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
