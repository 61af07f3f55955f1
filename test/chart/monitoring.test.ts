import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { metricsText as eventsText } from '../../src/dispatcher/metrics-text.ts';
import { createTriggerStats } from '../../src/dispatcher/stats.ts';
import { metricsText as callsText } from '../../src/gateway/proxy/metrics-text.ts';
import { createRouteStats } from '../../src/gateway/proxy/stats.ts';
import { metricsText as recordsText } from '../../src/invocations/metrics-text.ts';
import { createMetrics } from '../../src/telemetry/metrics.ts';
import { CHART } from './helm.ts';

interface Dashboard {
  readonly panels: readonly {
    readonly title: string;
    readonly targets: readonly { readonly expr: string }[];
  }[];
}
const dashboard: Dashboard = JSON.parse(readFileSync(`${CHART}/monitoring/dashboard.json`, 'utf8'));
const rules: { groups: { rules: { alert: string; expr: string }[] }[] } = parse(
  readFileSync(`${CHART}/monitoring/rules.yaml`, 'utf8'),
);
const queries = [
  ...dashboard.panels.flatMap(({ title, targets }) => targets.map(({ expr }) => [title, expr] as const)),
  ...rules.groups.flatMap((group) => group.rules.map(({ alert, expr }) => [alert, expr] as const)),
];

/** Every family that the services expose, with its labels where some are known. */
async function exposed(): Promise<{ families: Map<string, string>; text: string }> {
  const metrics = createMetrics();
  metrics.observe({ method: 'GET', route: '/v1', status: 200, seconds: 1 });
  metrics.observeHook('/sync/function', 0.001, true);
  metrics.observeBuild('succeeded');
  const route = createRouteStats('ns', 'f');
  route.byClass[2] = 1;
  const text = [
    await metrics.text(),
    callsText({ routes: () => [route], refused: new Map([['UpstreamUnreachable', 1]]) }),
    eventsText([createTriggerStats('ns', 't')]),
    recordsText({ written: 0, dropped: 0, waiting: 0, connected: true }),
  ].join('\n');
  const families = new Map(
    [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name = '', type = '']) => [name, type]),
  );
  return { families, text };
}

const SUFFIX = /_(bucket|sum|count)$/;

test.each(queries)('%s asks for what the services expose: %s', async (_title, expr) => {
  const { families, text } = await exposed();
  const names = [...expr.matchAll(/\b(?:sless|process|nodejs)_[a-z0-9_]+/g)].map(([name]) => name);
  expect(names.length).toBeGreaterThan(0);
  for (const name of names) {
    const isHistogram = families.get(name.replace(SUFFIX, '')) === 'histogram';
    expect(isHistogram ? SUFFIX.test(name) : families.has(name), name).toBe(true);
  }
  // A label that no series has selects nothing, and says so to nobody.
  const labels = [
    ...[...expr.matchAll(/[{,]\s*([a-z_]+)(?:=~|!=|=)/g)].map(([, label]) => label),
    ...[...expr.matchAll(/by \(([^)]*)\)/g)].flatMap(([, list = '']) => list.split(/,\s*/)),
  ].filter((label) => label !== 'pod');
  const series = text.split('\n').filter((line) => names.some((name) => line.startsWith(`${name}{`)));
  for (const label of labels)
    expect(
      series.some((line) => new RegExp(`[{,]${label}="`).test(line)),
      label,
    ).toBe(true);
});

test('names follow the conventions: counters end in _total, durations in _seconds', async () => {
  const { families } = await exposed();
  for (const [name, type] of families) {
    if (!name.startsWith('sless_')) continue;
    expect(name.endsWith('_total'), name).toBe(type === 'counter');
    if (type === 'histogram') expect(name).toMatch(/_seconds$/);
  }
});
