import type { TriggerStats } from './stats.ts';

interface Family {
  readonly name: string;
  readonly type: 'counter' | 'gauge';
  readonly help: string;
  readonly value: (stats: TriggerStats) => number;
}

const FAMILIES: readonly Family[] = [
  {
    name: 'sless_events_delivered_total',
    type: 'counter',
    help: 'Messages that the broker handed over.',
    value: (s) => s.delivered,
  },
  {
    name: 'sless_events_redelivered_total',
    type: 'counter',
    help: 'Messages that it had handed over before.',
    value: (s) => s.redelivered,
  },
  {
    name: 'sless_events_done_total',
    type: 'counter',
    help: 'Messages that functions dealt with.',
    value: (s) => s.done,
  },
  {
    name: 'sless_events_retried_total',
    type: 'counter',
    help: 'Tries that failed and are repeated.',
    value: (s) => s.retried,
  },
  {
    name: 'sless_events_dead_lettered_total',
    type: 'counter',
    help: 'Messages that went into a dead-letter queue.',
    value: (s) => s.deadLettered,
  },
  {
    name: 'sless_events_parked_total',
    type: 'counter',
    help: 'Messages that went round through dead-letter queues and were put where nobody consumes them.',
    value: (s) => s.parked,
  },
  {
    name: 'sless_events_not_taken_total',
    type: 'counter',
    help: 'Calls that a function did not take, which are no tries.',
    value: (s) => s.refused,
  },
  { name: 'sless_events_in_flight', type: 'gauge', help: 'Calls under way.', value: (s) => s.inFlight },
  {
    name: 'sless_events_connected',
    type: 'gauge',
    help: 'Whether the consumer is connected.',
    value: (s) => Number(s.connected),
  },
];

/** What the dispatcher counts, in the Prometheus text format. Names of Kubernetes objects need no escaping. */
export function metricsText(all: readonly TriggerStats[]): string {
  const lines = FAMILIES.flatMap(({ name, type, help, value }) => [
    `# HELP ${name} ${help}`,
    `# TYPE ${name} ${type}`,
    ...all.map(
      (stats) => `${name}{namespace="${stats.namespace}",trigger="${stats.trigger}"} ${value(stats)}`,
    ),
  ]);
  return `${lines.join('\n')}\n`;
}
