import { expect, test } from 'vitest';
import { metricsText } from './metrics-text.ts';
import { countCall, createRouteStats } from './stats.ts';

test('counts come out as Prometheus reads them', () => {
  const stats = createRouteStats('ns', 'f');
  stats.inFlight = 3;
  countCall(stats, { status: 200, reason: undefined, milliseconds: 7, bytesIn: 5, bytesOut: 9 });
  countCall(stats, { status: 0, reason: undefined, milliseconds: 400_000, bytesIn: 0, bytesOut: 0 });
  const text = metricsText({ routes: () => [stats], refused: new Map([['NotFound', 4]]) });
  const own = 'namespace="ns",function="f"';
  for (const line of [
    `sless_fn_requests_total{${own},status="0xx"} 1`,
    `sless_fn_requests_total{${own},status="2xx"} 1`,
    `sless_fn_request_seconds_bucket{${own},le="0.005"} 0`,
    `sless_fn_request_seconds_bucket{${own},le="0.01"} 1`,
    `sless_fn_request_seconds_bucket{${own},le="300"} 1`,
    `sless_fn_request_seconds_bucket{${own},le="+Inf"} 2`,
    `sless_fn_request_seconds_sum{${own}} 400.007`,
    `sless_fn_request_seconds_count{${own}} 2`,
    `sless_fn_in_flight{${own}} 1`,
    `sless_fn_received_bytes_total{${own}} 5`,
    'sless_fn_refused_total{code="NotFound"} 4',
  ]) {
    expect(text.split('\n')).toContain(line);
  }
  expect(text.endsWith('\n')).toBe(true);
});
