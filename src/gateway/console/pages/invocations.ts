import { html } from 'hono/html';
import { isSlessError } from '../../../errors.ts';
import { INVOCATION_OUTCOMES, INVOCATION_TRIGGERS } from '../../../ports/invocation-log.ts';
import { BASE } from '../base-path.ts';
import { callChart } from '../parts/call-chart.ts';
import { copyButton } from '../parts/copy.ts';
import { icon } from '../parts/icon.ts';
import { type InvocationAnswer, outcomeText } from '../parts/invocation.ts';
import type { Content, Markup } from '../parts/markup.ts';
import { duration, fullTime, size } from '../parts/time.ts';
import type { Listed } from '../rest/lists.ts';
import type { View } from '../view.ts';
import { type FunctionData, functionPage } from './function-page.ts';

/** What can be asked for, by the words of the address, which are those of REST. */
const FILTERS = ['trigger', 'outcome', 'status', 'request_id', 'cursor'] as const;
const PAGE_SIZE = 50;

type Query = Readonly<Record<string, string>>;

/** The calls of a function, newest first. */
export async function invocationsPage(view: View, data: FunctionData, query: Query): Promise<Markup> {
  const { fn } = data;
  const asked = new URLSearchParams();
  for (const name of FILTERS) if (query[name]) asked.set(name, query[name]);
  const found = await readCalls(view, fn.name, asked);
  return functionPage(view, data, {
    tab: 'invocations',
    body: html`${filterForm(query)}
<div id="calls" data-part>${typeof found === 'string' ? html`<p class="notice">${icon('alert')}<span>${found}</span></p>` : table({ fn, asked, ...found })}</div>`,
  });
}

/** @returns words where it cannot be told */
async function readCalls(
  { rest, namespace }: View,
  name: string,
  asked: URLSearchParams,
): Promise<Listed<InvocationAnswer> | string> {
  try {
    return await rest.read(`${namespace}/functions/${name}/invocations?limit=${PAGE_SIZE}&${asked}`);
  } catch (error) {
    for (const code of ['NotImplemented', 'Unavailable', 'InvalidRequest'] as const)
      if (isSlessError(error, code)) return error.message;
    throw error;
  }
}

function filterForm(query: Query): Markup {
  const choice = (name: string, text: string, values: readonly string[]): Markup =>
    html`<label class="sr" for="${name}">${text}</label><select id="${name}" name="${name}"><option value="">${text}: any</option>${values.map((value) => html`<option value="${value}"${query[name] === value ? html` selected` : ''}>${value}</option>`)}</select>`;
  return html`<form class="toolbar" method="get" role="search" aria-label="Filter calls">
${choice('trigger', 'Trigger', INVOCATION_TRIGGERS)}${choice('outcome', 'Outcome', INVOCATION_OUTCOMES)}
<label class="sr" for="status">HTTP status</label><input id="status" name="status" class="short" inputmode="numeric" pattern="[1-5][0-9]{2}" placeholder="Status" value="${query.status ?? ''}">
<label class="search">${icon('search')}<span class="sr">Request id</span><input name="request_id" class="mono" placeholder="Request id" value="${query.request_id ?? ''}" autocomplete="off"></label>
<button type="submit">Filter</button><a class="button quiet" href="?">Reset</a></form>`;
}

interface Found extends Listed<InvocationAnswer> {
  readonly fn: FunctionData['fn'];
  readonly asked: URLSearchParams;
}

function table({ fn, asked, items, next }: Found): Content {
  if (items.length === 0)
    return html`<section class="empty small"><p>${asked.size === 0 ? 'Nobody has called it yet.' : 'No call is like that.'}</p></section>`;
  const newest = new URLSearchParams(asked);
  newest.delete('cursor');
  const older = new URLSearchParams(asked);
  older.set('cursor', next ?? '');
  return html`<div class="chart-card">${callChart(items)}</div>
<div class="card scroll flush" tabindex="0" role="region" aria-label="Calls"><table class="calls"><thead><tr><th scope="col">Started</th><th scope="col">Outcome</th><th scope="col">Status</th><th scope="col">Trigger</th><th scope="col" class="end">Duration</th><th scope="col" class="end">In / out</th><th scope="col">Request</th></tr></thead>
<tbody>${items.map((call) => row(fn, call))}</tbody></table></div>
<p class="pager">${asked.has('cursor') ? html`<a class="button" href="?${newest}">Newest</a>` : ''}${next === null ? '' : html`<a class="button" href="?${older}">Older${icon('next')}</a>`}</p>`;
}

const TONES: Readonly<Record<InvocationAnswer['outcome'], string>> = {
  ok: 'good',
  error: 'busy',
  failed: 'bad',
};

function row({ namespace, name }: FunctionData['fn'], call: InvocationAnswer): Markup {
  const {
    started_at,
    duration_ms,
    outcome,
    status,
    trigger,
    trigger_name,
    bytes_in,
    bytes_out,
    attempt,
    request_id,
  } = call;
  const logs = `${BASE}/${namespace}/logs/${name}?since=${encodeURIComponent(started_at)}`;
  return html`<tr><th scope="row"><a href="${logs}" title="The log from then on">${fullTime(started_at)}</a></th>
<td><span class="chip ${TONES[outcome]}">${outcome === 'ok' ? 'ok' : outcomeText(call)}</span></td><td class="num">${status ?? '–'}</td>
<td>${trigger}${trigger_name === null ? '' : html` <span class="dim">${trigger_name}</span>`}${attempt > 1 ? html` <span class="chip busy">attempt ${attempt}</span>` : ''}</td>
<td class="end num">${duration(duration_ms)}</td><td class="end num">${size(bytes_in)} / ${size(bytes_out)}</td>
<td>${request_id === null ? '–' : html`<span class="line"><code class="cut id" title="${request_id}">${request_id}</code>${copyButton(request_id, 'request id')}</span>`}</td></tr>`;
}
