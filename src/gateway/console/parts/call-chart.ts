import { html } from 'hono/html';
import type { InvocationAnswer } from './invocation.ts';
import type { Markup } from './markup.ts';
import { duration } from './time.ts';

const WIDTH = 600;
const HEIGHT = 64;
/** Of a call that took no time at all, something is to be seen. */
const LEAST = 3;

/** The last calls as bars: the newest on the right, the longest the highest, those that failed in red. */
export function callChart(calls: readonly InvocationAnswer[]): Markup {
  const slots = Math.max(40, calls.length);
  const longest = Math.max(1, ...calls.map(({ duration_ms }) => duration_ms));
  const step = WIDTH / slots;
  const bars = [...calls].reverse().map((call, i) => {
    const height = LEAST + (call.duration_ms / longest) * (HEIGHT - LEAST);
    const x = WIDTH - (calls.length - i) * step;
    return html`<rect class="${call.outcome}" x="${x.toFixed(2)}" y="${(HEIGHT - height).toFixed(2)}" width="${Math.max(1, step - 1.5).toFixed(2)}" height="${height.toFixed(2)}" rx="1"/>`;
  });
  const failed = calls.filter(({ outcome }) => outcome !== 'ok').length;
  const label = `The last ${calls.length} calls, ${failed} of them not ok; the longest took ${duration(longest)}`;
  return html`<svg class="chart" viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none" role="img" aria-label="${label}">${bars}</svg>`;
}
