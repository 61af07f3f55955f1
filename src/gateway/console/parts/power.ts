import { html } from 'hono/html';
import type { FunctionAnswer } from '../../api/functions/answer.ts';
import type { TriggerAnswer } from '../../api/triggers/answer.ts';
import { icon } from './icon.ts';
import type { Markup } from './markup.ts';
import { stateOf } from './status.ts';

/** Whether nothing is wanted of a function: none of its triggers is enabled, or it has none and no pods are wanted. */
export function isStopped(fn: FunctionAnswer, triggers: readonly TriggerAnswer[]): boolean {
  if (stateOf(fn).stopped) return true;
  return triggers.length === 0 ? fn.replicas === 0 : triggers.every(({ enabled }) => !enabled);
}

interface PowerOptions {
  readonly stopped: boolean;
  /** Only a picture, where there is no room for the word. */
  readonly small?: boolean;
}

/** Stops what runs, starts what is stopped. */
export function powerButton({ namespace, name }: FunctionAnswer, { stopped, small }: PowerOptions): Markup {
  const verb = stopped ? 'start' : 'stop';
  const word = stopped ? 'Start' : 'Stop';
  const label = small === true ? html`<span class="sr">${word} ${name}</span>` : html`<span>${word}</span>`;
  return html`<button id="power-${name}" class="${small === true ? 'quiet square' : ''}" type="button" title="${word}"
 data-method="POST" data-path="/${namespace}/functions/${name}/${verb}" data-done="${name}: ${stopped ? 'starting' : 'stopping'}">${icon(stopped ? 'play' : 'stop')}${label}</button>`;
}
