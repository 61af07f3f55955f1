import { html } from 'hono/html';
import type { FunctionAnswer } from '../../api/functions/answer.ts';
import type { TriggerAnswer } from '../../api/triggers/answer.ts';
import { BASE } from '../base-path.ts';
import { copyButton } from '../parts/copy.ts';
import { icon } from '../parts/icon.ts';
import type { Content, Markup } from '../parts/markup.ts';
import { isStopped, powerButton } from '../parts/power.ts';
import { type State, stateOf, statusPill } from '../parts/status.ts';
import { agoTime } from '../parts/time.ts';
import { triggerChip } from '../parts/trigger-chip.ts';
import type { Listed } from '../rest/lists.ts';
import type { View } from '../view.ts';
import { page } from './frame.ts';

export interface ListData {
  readonly functions: Listed<FunctionAnswer>;
  readonly triggers: readonly TriggerAnswer[];
}

/** How soon what has changed is shown: at once while something is on its way. */
const BUSY_SECONDS = 2;
const CALM_SECONDS = 10;

/** All functions of a namespace. */
export function listPage(view: View, { functions, triggers }: ListData): Markup {
  const { namespace } = view;
  const { items, next } = functions;
  const isBusy = items.some((fn) => stateOf(fn).tone === 'busy');
  const byFunction = Map.groupBy(triggers, (trigger) => trigger.function);
  return page(view, {
    title: 'Functions',
    crumbs: [{ text: namespace, mono: true }],
    live: isBusy ? BUSY_SECONDS : CALM_SECONDS,
    body: html`<div class="heading">
<h1>Functions</h1>
<a class="button primary" href="${BASE}/${namespace}/new">${icon('plus')}New function</a>
</div>
${items.length === 0 ? emptyList(namespace) : filled(view, { items, byFunction })}
${next === null ? '' : html`<p class="pager"><a class="button" href="?cursor=${encodeURIComponent(next)}">More functions${icon('next')}</a></p>`}`,
  });
}

function emptyList(namespace: string): Markup {
  return html`<section class="empty">${icon('upload')}
<h2>No functions yet</h2>
<p>Drop a folder of code on the next page and get a URL back: no Dockerfile, no YAML.</p>
<a class="button primary" href="${BASE}/${namespace}/new">Create the first function</a>
<p class="hint">From a terminal: <code>sless deploy</code></p>
</section>`;
}

interface Filled {
  readonly items: readonly FunctionAnswer[];
  readonly byFunction: ReadonlyMap<string, readonly TriggerAnswer[]>;
}

function filled(view: View, { items, byFunction }: Filled): Markup {
  return html`<div class="toolbar">
<label class="search">${icon('search')}<span class="sr">Filter by name or runtime</span>
<input id="filter" type="search" placeholder="Filter functions" autocomplete="off" data-filter="functions" aria-keyshortcuts="/"><kbd aria-hidden="true">/</kbd></label>
<div id="states" data-part>${stateFilter(items)}</div>
</div>
<p class="sr" role="status" id="filter-count"></p>
<div class="rows" role="table" aria-label="Functions" id="functions" data-part>
<div role="rowgroup"><div class="row head" role="row">
<span role="columnheader">Function</span><span role="columnheader">State</span><span role="columnheader">Replicas</span><span role="columnheader">Last build</span><span role="columnheader">Triggers</span><span role="columnheader"><span class="sr">Actions</span></span>
</div></div>
<div role="rowgroup">${items.map((fn) => row(view, fn, byFunction.get(fn.name) ?? []))}</div>
</div>
<p class="empty small" id="no-match" hidden>No function matches.</p>`;
}

const WORDS: readonly (readonly [State['tone'], string])[] = [
  ['good', 'Ready'],
  ['busy', 'In progress'],
  ['bad', 'Failed'],
  ['off', 'Stopped'],
  ['wait', 'No code'],
];

function stateFilter(items: readonly FunctionAnswer[]): Markup {
  const counts = new Map<string, number>();
  for (const fn of items) counts.set(stateOf(fn).tone, (counts.get(stateOf(fn).tone) ?? 0) + 1);
  const button = (tone: string, word: string, count: number): Markup =>
    html`<button id="tone-${tone || 'all'}" type="button" data-tone="${tone}" aria-pressed="${String(tone === '')}">${tone === '' ? '' : html`<span class="dot ${tone}" aria-hidden="true"></span>`}${word} <span class="count">${count}</span></button>`;
  return html`<div class="segments" role="group" aria-label="Filter by state">${button('', 'All', items.length)}${WORDS.filter(([tone]) => counts.has(tone)).map(([tone, word]) => button(tone, word, counts.get(tone) ?? 0))}</div>`;
}

function row(view: View, fn: FunctionAnswer, triggers: readonly TriggerAnswer[]): Markup {
  const state = stateOf(fn);
  const href = `${BASE}/${fn.namespace}/functions/${fn.name}`;
  return html`<div class="row" role="row" data-row="${fn.name} ${fn.runtime}" data-tone="${state.tone}">
<span class="cell name" role="cell"><a href="${href}">${fn.name}</a><span class="tag">${fn.runtime}</span>${fn.url === null ? '' : copyButton(fn.url, `URL of ${fn.name}`)}</span>
<span class="cell state" role="cell">${statusPill(state)}${why(state)}</span>
<span class="cell replicas" role="cell"><span class="label">Replicas</span><span class="num">${replicas(fn, isStopped(fn, triggers))}</span></span>
<span class="cell built" role="cell"><span class="label">Built</span>${fn.last_built_at === null ? html`<span class="dim">–<span class="sr">never</span></span>` : agoTime(fn.last_built_at, view.now)}</span>
<span class="cell triggers" role="cell">${triggers.length === 0 ? html`<span class="dim">none</span>` : triggers.map(triggerChip)}</span>
<span class="cell acts" role="cell">${state.tone === 'wait' ? '' : powerButton(fn, { stopped: isStopped(fn, triggers), small: true })}</span>
</div>`;
}

/** The first line says it; the function's own page has the rest. */
function why({ tone, reason, message }: State): Content {
  if (tone !== 'bad' && tone !== 'busy') return undefined;
  const [line = ''] = message.split('\n');
  return html`<span class="why" title="${line}">${tone === 'bad' ? html`<b>${reason}</b> ` : ''}${line}</span>`;
}

/** Ready of wanted; a stopped function wants none. */
export function replicas({ ready_replicas, replicas: wanted }: FunctionAnswer, stopped: boolean): string {
  return `${ready_replicas}/${stopped ? 0 : wanted}`;
}
