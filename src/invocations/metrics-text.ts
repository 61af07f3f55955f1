import type { RecorderStats } from './recorder.ts';

/** How the log of calls fares, in the Prometheus text format. */
export function metricsText({ written, dropped, waiting, connected }: RecorderStats): string {
  const families: readonly (readonly [string, string, string, number])[] = [
    ['sless_invocations_written_total', 'counter', 'Records of calls that are in the log.', written],
    ['sless_invocations_dropped_total', 'counter', 'Records that found no room while it was away.', dropped],
    ['sless_invocations_waiting', 'gauge', 'Records that wait to be written.', waiting],
    ['sless_invocations_log_up', 'gauge', 'Whether the last try to write succeeded.', Number(connected)],
  ];
  return families
    .map(([name, type, help, value]) => `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${name} ${value}\n`)
    .join('');
}
