import { html } from 'hono/html';
import { isSlessError } from '../../../errors.ts';
import type { FunctionAnswer } from '../../api/functions/answer.ts';
import type { TriggerAnswer } from '../../api/triggers/answer.ts';
import { BASE } from '../base-path.ts';
import { callChart } from '../parts/call-chart.ts';
import { icon } from '../parts/icon.ts';
import { type InvocationAnswer, outcomeText, percentile } from '../parts/invocation.ts';
import type { Content, Markup } from '../parts/markup.ts';
import { isStopped } from '../parts/power.ts';
import { snippet } from '../parts/snippet.ts';
import { agoTime, duration, fullTime } from '../parts/time.ts';
import { TRIGGER_ICONS, triggerText } from '../parts/trigger-chip.ts';
import type { Listed } from '../rest/lists.ts';
import type { View } from '../view.ts';
import { type FunctionData, functionPage } from './function-page.ts';
import { replicas } from './list.ts';

/** As many as the chart has room for. */
const CALLS = 80;

export async function overviewPage(view: View, data: FunctionData): Promise<Markup> {
  const { fn, triggers } = data;
  const calls = await recentCalls(view, fn.name);
  return functionPage(view, data, {
    tab: 'functions',
    body: html`<div class="grid">
<section class="card span" aria-labelledby="calls-title" id="calls" data-part>${callsCard(view, fn, calls)}</section>
<section class="card" aria-labelledby="call-title" id="calling" data-part>${callingCard(fn, triggers)}</section>
<section class="card" aria-labelledby="facts-title" id="facts" data-part>${factsCard(view, fn, triggers)}</section>
<section class="card span" aria-labelledby="conditions-title" id="conditions" data-part>${conditionsCard(view, fn)}</section>
</div>`,
  });
}

/** `undefined` where the installation keeps no log of calls. */
export async function recentCalls(
  { rest, namespace }: View,
  name: string,
): Promise<readonly InvocationAnswer[] | undefined> {
  try {
    const list = await rest.read<Listed<InvocationAnswer>>(
      `${namespace}/functions/${name}/invocations?limit=${CALLS}`,
    );
    return list.items;
  } catch (error) {
    if (isSlessError(error, 'NotImplemented') || isSlessError(error, 'Unavailable')) return undefined;
    throw error;
  }
}

function callsCard(view: View, fn: FunctionAnswer, calls: readonly InvocationAnswer[] | undefined): Content {
  const all = `${BASE}/${fn.namespace}/invocations/${fn.name}`;
  const title = html`<div class="card-head"><h2 id="calls-title">Recent calls</h2><a href="${all}">All invocations</a></div>`;
  if (calls === undefined)
    return html`${title}<p class="dim">This installation keeps no log of calls, or cannot reach it now.</p>`;
  if (calls.length === 0)
    return html`${title}<p class="dim">Nobody has called it yet. <a href="${BASE}/${fn.namespace}/test/${fn.name}">Send a test call</a>.</p>`;
  const times = calls.map(({ duration_ms }) => duration_ms);
  const bad = calls.filter(({ outcome }) => outcome !== 'ok');
  const [newest] = calls;
  const lastBad = bad[0];
  return html`${title}
<dl class="stats">
<div><dt>Last call</dt><dd>${newest === undefined ? '–' : agoTime(newest.started_at, view.now)}</dd></div>
<div><dt>Not ok</dt><dd class="${bad.length > 0 ? 'bad' : ''}">${bad.length} <small>of ${calls.length}</small></dd></div>
<div><dt>Median</dt><dd>${duration(percentile(times, 50))}</dd></div>
<div><dt>95th percentile</dt><dd>${duration(percentile(times, 95))}</dd></div>
</dl>
${callChart(calls)}
${lastBad === undefined ? '' : html`<p class="hint">Last not ok: <b class="bad">${outcomeText(lastBad)}</b> ${agoTime(lastBad.started_at, view.now)}, by ${lastBad.trigger}. <a href="${all}?outcome=${lastBad.outcome}">Look</a></p>`}`;
}

function callingCard(fn: FunctionAnswer, triggers: readonly TriggerAnswer[]): Content {
  const rows = triggers.map(
    (trigger) =>
      html`<li>${icon(TRIGGER_ICONS[trigger.type])}<span><b>${trigger.name}</b> <span class="mono dim">${triggerText(trigger)}</span>${trigger.enabled && !trigger.active ? html`<br><span class="bad">${trigger.message}</span>` : ''}</span><span class="chip ${trigger.enabled ? (trigger.active ? 'good' : 'bad') : 'off'}">${trigger.enabled ? (trigger.active ? 'active' : 'not active') : 'disabled'}</span></li>`,
  );
  return html`<div class="card-head"><h2 id="call-title">How it is called</h2><a href="${BASE}/${fn.namespace}/triggers/${fn.name}">Triggers</a></div>
${fn.url === null ? '' : snippet(curlOf(fn.url), 'curl command')}
${triggers.length === 0 ? html`<p class="dim">It has no trigger: only jobs, and pods of its own namespace, reach it.</p>` : html`<ul class="plain-list">${rows}</ul>`}`;
}

/** A call to copy. */
export function curlOf(url: string): string {
  return `curl ${url} \\\n  --json '{"name": "Ada"}'`;
}

function factsCard(view: View, fn: FunctionAnswer, triggers: readonly TriggerAnswer[]): Markup {
  const facts: readonly (readonly [string, Content])[] = [
    ['Replicas ready', replicas(fn, isStopped(fn, triggers))],
    ['Last build', fn.last_built_at === null ? 'never' : agoTime(fn.last_built_at, view.now)],
    ['Entrypoint', html`<code>${fn.entrypoint ?? '–'}</code>`],
    ['Time limit', `${fn.timeout_seconds} s a call`],
    ['Calls at once', `${fn.concurrency} in a pod`],
    ['Memory', fn.resources?.limits?.memory ?? 'default'],
    [
      'Code',
      fn.code_hash === null ? '–' : html`<code title="${fn.code_hash}">${fn.code_hash.slice(0, 12)}</code>`,
    ],
    ['Image', fn.image === null ? '–' : html`<code class="cut" title="${fn.image}">${fn.image}</code>`],
  ];
  return html`<div class="card-head"><h2 id="facts-title">What runs</h2><a href="${BASE}/${fn.namespace}/settings/${fn.name}">Settings</a></div>
<dl class="facts">${facts.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`;
}

function conditionsCard(_view: View, { conditions }: FunctionAnswer): Markup {
  return html`<details><summary><h2 id="conditions-title">Conditions</h2></summary>
<div class="scroll" tabindex="0" role="region" aria-label="Table of conditions"><table><thead><tr><th scope="col">Type</th><th scope="col">Status</th><th scope="col">Reason</th><th scope="col">Message</th><th scope="col">Since</th></tr></thead>
<tbody>${conditions.map(({ type, status, reason, message, last_transition_time }) => html`<tr><th scope="row">${type}</th><td>${status}</td><td>${reason}</td><td class="text">${message}</td><td>${fullTime(last_transition_time)}</td></tr>`)}</tbody></table></div></details>`;
}
