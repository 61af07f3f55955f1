import { DURATION_BUCKETS, type ProxyStats, type RouteStats } from './stats.ts';

/** What the proxy counts, in the Prometheus text format. The labels are those of functions that are served now. */
export function metricsText({ routes, refused }: ProxyStats): string {
  const all = [...routes()];
  return [
    ...family('sless_fn_requests_total', 'counter', 'Calls of functions, by the class of the answer.'),
    ...all.flatMap(requestLines),
    ...family('sless_fn_request_seconds', 'histogram', 'How long calls took, to the end of the answer.'),
    ...all.flatMap(durationLines),
    ...family('sless_fn_in_flight', 'gauge', 'Calls under way.'),
    ...all.map((route) => `sless_fn_in_flight{${labelsOf(route)}} ${route.inFlight}`),
    ...family('sless_fn_received_bytes_total', 'counter', 'Bytes of request bodies.'),
    ...all.map((route) => `sless_fn_received_bytes_total{${labelsOf(route)}} ${route.bytesIn}`),
    ...family('sless_fn_sent_bytes_total', 'counter', 'Bytes of answers.'),
    ...all.map((route) => `sless_fn_sent_bytes_total{${labelsOf(route)}} ${route.bytesOut}`),
    ...family(
      'sless_fn_refused_total',
      'counter',
      'Answers that the proxy gave in place of a function, by code.',
    ),
    ...[...refused].map(([code, count]) => `sless_fn_refused_total{code="${code}"} ${count}`),
    '',
  ].join('\n');
}

const family = (name: string, type: string, help: string): string[] => [
  `# HELP ${name} ${help}`,
  `# TYPE ${name} ${type}`,
];

// Names of Kubernetes objects hold nothing that would need escaping.
const labelsOf = ({ namespace, name }: Readonly<RouteStats>): string =>
  `namespace="${namespace}",function="${name}"`;

/** `0xx` are callers that left before an answer. */
const requestLines = (route: Readonly<RouteStats>): string[] =>
  route.byClass.flatMap((count, index) =>
    count === 0 ? [] : [`sless_fn_requests_total{${labelsOf(route)},status="${index}xx"} ${count}`],
  );

function durationLines(route: Readonly<RouteStats>): string[] {
  const name = 'sless_fn_request_seconds';
  const labels = labelsOf(route);
  let below = 0;
  const buckets = route.buckets.map((count, index) => {
    below += count;
    return `${name}_bucket{${labels},le="${DURATION_BUCKETS[index] ?? '+Inf'}"} ${below}`;
  });
  return [...buckets, `${name}_sum{${labels}} ${route.durationSum}`, `${name}_count{${labels}} ${below}`];
}
