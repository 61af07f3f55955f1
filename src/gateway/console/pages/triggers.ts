import { html } from 'hono/html';
import type { TriggerAnswer } from '../../api/triggers/answer.ts';
import { copyButton } from '../parts/copy.ts';
import { icon } from '../parts/icon.ts';
import type { Content, Markup } from '../parts/markup.ts';
import { agoTime } from '../parts/time.ts';
import { TRIGGER_ICONS, triggerText } from '../parts/trigger-chip.ts';
import type { View } from '../view.ts';
import { type FunctionData, functionPage } from './function-page.ts';

/** What calls a function, and more of it. */
export function triggersPage(view: View, data: FunctionData): Markup {
  const { fn, triggers } = data;
  return functionPage(view, data, {
    tab: 'triggers',
    body: html`<div class="grid">
<section class="card span" aria-labelledby="triggers-title" id="triggers" data-part><div class="card-head"><h2 id="triggers-title">Triggers</h2></div>
${triggers.length === 0 ? html`<p class="dim">Nothing calls it yet.</p>` : html`<ul class="plain-list">${triggers.map((trigger) => item(view, trigger))}</ul>`}</section>
${triggers.some(({ type }) => type === 'http') ? '' : httpForm(fn)}${cronForm(fn)}${eventForm(fn)}</div>`,
  });
}

function item(view: View, trigger: TriggerAnswer): Markup {
  const { namespace, name, type, enabled, active, message, url, last_run, time_zone } = trigger;
  const path = `/${namespace}/triggers/${name}`;
  const state = enabled ? (active ? 'active' : 'not active') : 'disabled';
  return html`<li>${icon(TRIGGER_ICONS[type])}<span><b>${name}</b> <span class="mono dim">${triggerText(trigger)}${time_zone === null ? '' : ` ${time_zone}`}</span>${detail({ active, enabled, message })}${last_run === null ? '' : html`<br><span class="hint">last run ${agoTime(last_run, view.now)}</span>`}${url === null ? '' : html`<br><span class="line"><code class="cut">${url}</code>${copyButton(url, `URL of ${name}`)}</span>`}</span>
<span class="chip ${enabled ? (active ? 'good' : 'bad') : 'off'}">${state}</span>
<button id="toggle-${name}" type="button" data-method="PATCH" data-path="${path}" data-body="${JSON.stringify({ enabled: !enabled })}" data-done="${name}: ${enabled ? 'disabled' : 'enabled'}">${enabled ? 'Disable' : 'Enable'}<span class="sr"> ${name}</span></button>
<button type="button" class="quiet square" title="Delete" data-method="DELETE" data-path="${path}" data-done="${name}: deleted" data-confirm="Delete the trigger ${name}?">${icon('trash')}<span class="sr">Delete ${name}</span></button></li>`;
}

function detail({
  active,
  enabled,
  message,
}: Pick<TriggerAnswer, 'active' | 'enabled' | 'message'>): Content {
  if (message === '' || (active && enabled)) return undefined;
  return html`<br><span class="${enabled ? 'bad' : 'dim'}">${message}</span>`;
}

type Fn = FunctionData['fn'];

interface NewTrigger {
  readonly type: TriggerAnswer['type'];
  readonly title: string;
  readonly fields: Content;
}

function form({ namespace, name }: Fn, { type, title, fields }: NewTrigger): Markup {
  return html`<section class="card" aria-labelledby="new-${type}"><form class="stack" data-rest="POST" data-path="/${namespace}/triggers" data-then="">
<div class="card-head"><h2 id="new-${type}">${icon(TRIGGER_ICONS[type])} ${title}</h2></div>
<input type="hidden" name="type" value="${type}"><input type="hidden" name="function" value="${name}">
<div class="field"><label for="${type}-name">Name</label><input id="${type}-name" name="name" required value="${name}-${type}" pattern="[a-z](?:[\\-a-z0-9]*[a-z0-9])?" maxlength="52" autocomplete="off"></div>
${fields}
<p class="notice bad" data-error role="alert" hidden></p>
<div class="line"><button type="submit">${icon('plus')}Add</button></div></form></section>`;
}

const httpForm = (fn: Fn): Markup =>
  form(fn, {
    type: 'http',
    title: 'New URL',
    fields: html`<p class="hint">Anybody who knows the URL may call it: who may do what is the function's to decide.</p>`,
  });

const cronForm = (fn: Fn): Markup =>
  form(fn, {
    type: 'cron',
    title: 'New schedule',
    fields: html`<div class="field"><label for="schedule">Schedule</label><input id="schedule" name="schedule" class="mono" required placeholder="*/5 * * * *" aria-describedby="schedule-hint"><p id="schedule-hint" class="hint">Five fields, or <code>@hourly</code>, <code>@daily</code> …</p></div>
<div class="field"><label for="zone">Time zone</label><input id="zone" name="time_zone" placeholder="UTC"></div>
<div class="field"><label for="payload">Payload <span class="hint">JSON</span></label><textarea id="payload" name="payload" class="mono" rows="2" spellcheck="false"></textarea></div>`,
  });

const eventForm = (fn: Fn): Markup =>
  form(fn, {
    type: 'event',
    title: 'New queue',
    fields: html`<div class="field"><label for="queue">Queue</label><input id="queue" name="queue" class="mono" required></div>
<div class="field"><label for="attempts">Attempts</label><input id="attempts" name="max_attempts" inputmode="numeric" data-type="number" placeholder="5"></div>`,
  });
