import { html } from 'hono/html';
import type { TriggerAnswer } from '../../api/triggers/answer.ts';
import { type IconName, icon } from './icon.ts';
import type { Markup } from './markup.ts';

export const TRIGGER_ICONS: Readonly<Record<TriggerAnswer['type'], IconName>> = {
  http: 'globe',
  cron: 'clock',
  event: 'queue',
};

/** What a trigger waits for: its schedule, its queue. */
export function triggerText({
  type,
  schedule,
  queue,
}: Pick<TriggerAnswer, 'type' | 'schedule' | 'queue'>): string {
  if (type === 'http') return 'HTTP';
  return (type === 'cron' ? schedule : queue) ?? type;
}

/** A trigger in a word. */
export function triggerChip(trigger: TriggerAnswer): Markup {
  const { type, name, enabled, active, message } = trigger;
  const state = !enabled ? 'disabled' : active ? 'active' : message;
  const kind = !enabled ? 'off' : active ? '' : 'bad';
  return html`<span class="chip ${kind}" title="${type} trigger ${name}: ${state}">${icon(TRIGGER_ICONS[type])}<span class="mono">${triggerText(trigger)}</span>${active && enabled ? '' : html`<span class="sr"> (${state})</span>`}</span>`;
}
