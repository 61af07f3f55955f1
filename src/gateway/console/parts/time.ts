import { html } from 'hono/html';
import type { Markup } from './markup.ts';

const STEPS: readonly (readonly [seconds: number, unit: Intl.RelativeTimeFormatUnit])[] = [
  [86_400, 'day'],
  [3600, 'hour'],
  [60, 'minute'],
  [1, 'second'],
];
const words = new Intl.RelativeTimeFormat('en', { numeric: 'always', style: 'long' });

/** `3 minutes ago`. */
export function ago(moment: number, now: number): string {
  const seconds = Math.round((moment - now) / 1000);
  const [size, unit] = STEPS.find(([each]) => Math.abs(seconds) >= each) ?? [1, 'second'];
  return Math.abs(seconds) < 5 ? 'just now' : words.format(Math.trunc(seconds / size), unit);
}

/** How long ago, with the moment itself in the title. */
export function agoTime(text: string, now: number): Markup {
  return html`<time datetime="${text}" title="${utc(text)}">${ago(Date.parse(text), now)}</time>`;
}

/** A moment to the second in UTC; a script of the page turns it into the reader's own time. */
export function fullTime(text: string): Markup {
  return html`<time datetime="${text}" data-local title="${utc(text)}">${utc(text)}</time>`;
}

function utc(text: string): string {
  return `${text.slice(0, 10)} ${text.slice(11, 19)} UTC`;
}

/** `340 ms`, `1.25 s`, `2 min 5 s`. */
export function duration(milliseconds: number): string {
  if (milliseconds < 1) return `${milliseconds.toFixed(2)} ms`;
  if (milliseconds < 1000)
    return `${milliseconds < 10 ? milliseconds.toFixed(1) : Math.round(milliseconds)} ms`;
  if (milliseconds < 60_000) return `${(milliseconds / 1000).toFixed(2)} s`;
  return `${Math.floor(milliseconds / 60_000)} min ${Math.round((milliseconds % 60_000) / 1000)} s`;
}

const UNITS = ['bytes', 'KiB', 'MiB', 'GiB'];

/** `312 bytes`, `4.2 KiB`. */
export function size(bytes: number): string {
  const step = bytes < 1024 ? 0 : Math.min(3, Math.floor(Math.log2(bytes) / 10));
  return step === 0
    ? `${bytes} ${bytes === 1 ? 'byte' : 'bytes'}`
    : `${(bytes / 1024 ** step).toFixed(1)} ${UNITS[step]}`;
}
