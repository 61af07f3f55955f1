import { html } from 'hono/html';
import type { FunctionAnswer } from '../../api/functions/answer.ts';
import type { TriggerAnswer } from '../../api/triggers/answer.ts';
import { BASE } from '../base-path.ts';
import { copyButton } from '../parts/copy.ts';
import { type IconName, icon } from '../parts/icon.ts';
import type { Content, Markup } from '../parts/markup.ts';
import { isStopped, powerButton } from '../parts/power.ts';
import { remedy, type State, stateOf, statusPill } from '../parts/status.ts';
import { readTriggers } from '../rest/lists.ts';
import type { View } from '../view.ts';
import { sentence } from './failure.ts';
import { page } from './frame.ts';

/** The parts of what there is to see of a function, by the word in their address. */
export const TABS = {
  functions: 'Overview',
  source: 'Source',
  deployments: 'Deployments',
  logs: 'Logs',
  invocations: 'Invocations',
  test: 'Test',
  triggers: 'Triggers',
  settings: 'Settings',
} as const;

export type Tab = keyof typeof TABS;

export interface FunctionData {
  readonly fn: FunctionAnswer;
  readonly triggers: readonly TriggerAnswer[];
}

/** A function and its triggers. @throws SlessError `NotFound` */
export async function readFunction({ rest, namespace }: View, name: string): Promise<FunctionData> {
  const [fn, triggers] = await Promise.all([
    rest.read<FunctionAnswer>(`${namespace}/functions/${encodeURIComponent(name)}`),
    readTriggers(rest, namespace, name),
  ]);
  return { fn, triggers };
}

interface FunctionPageOptions {
  readonly tab: Tab;
  readonly body: Content;
  /** Whether something is on its way that the function's own state does not tell. */
  readonly isBusy?: boolean;
}

const BUSY_SECONDS = 2;
const CALM_SECONDS = 8;

/** One part of a function, below its name, its state and what can be done with it. */
export function functionPage(
  view: View,
  data: FunctionData,
  { tab, body, isBusy = false }: FunctionPageOptions,
): Markup {
  const { fn, triggers } = data;
  const state = stateOf(fn);
  return page(view, {
    title: `${fn.name} · ${TABS[tab]}`,
    crumbs: [{ text: view.namespace, href: `${BASE}/${view.namespace}`, mono: true }, { text: fn.name }],
    live: isBusy || state.tone === 'busy' ? BUSY_SECONDS : CALM_SECONDS,
    body: html`<div id="function-head" data-part data-phase="${fn.phase}">
<div class="heading">
<h1>${fn.name}</h1>${statusPill(state)}<span class="tag">${fn.runtime}</span>
<span class="spring"></span>
<div class="actions">
${powerButton(fn, { stopped: isStopped(fn, triggers) })}
${moreMenu(fn)}
<a class="button primary" href="${BASE}/${fn.namespace}/deployments/${fn.name}">${icon('upload')}Deploy</a>
</div>
</div>
${fn.url === null ? '' : html`<p class="address"><a class="mono" href="${fn.url}" target="_blank" rel="noopener noreferrer">${fn.url}</a>${copyButton(fn.url, 'URL')}</p>`}
${banner(fn, state)}
</div>
<nav class="tabs" aria-label="Parts of ${fn.name}">${Object.entries(TABS).map(([word, text]) => tabLink(fn, word, { text, current: word === tab }))}</nav>
<div class="tab-body">${body}</div>`,
  });
}

function tabLink(
  { namespace, name }: FunctionAnswer,
  word: string,
  { text, current }: { readonly text: string; readonly current: boolean },
): Markup {
  return html`<a href="${BASE}/${namespace}/${word}/${name}"${current ? html` aria-current="page"` : ''}>${text}</a>`;
}

/** Why it is not as it is wanted: the reason, all of the message, and who must act. */
function banner({ namespace, name }: FunctionAnswer, { tone, reason, message }: State): Content {
  if (tone === 'good' || tone === 'off') return undefined;
  if (tone === 'wait')
    return html`<div class="notice">${icon('upload')}<div><p><b>Waiting for code.</b> Upload a zip or a folder: <a href="${BASE}/${namespace}/deployments/${name}">deploy</a>.</p></div></div>`;
  const [line = '', ...rest] = message.split('\n');
  if (tone === 'busy')
    return html`<div class="notice busy"><span class="dot busy" aria-hidden="true"></span><div><p>${sentence(line)}</p></div></div>`;
  return html`<div class="notice bad" id="why">${icon('alert')}<div>
<p><b>${reason}</b> ${sentence(line)}</p>
${rest.length === 0 ? '' : html`<pre tabindex="0" aria-label="What was written last">${rest.join('\n')}</pre>`}
<p class="hint">${remedy(reason)} <a href="${BASE}/${namespace}/logs/${name}${isBuild(reason) ? '?of=build' : ''}">${isBuild(reason) ? 'Build log' : 'Logs'}</a></p>
</div></div>`;
}

const isBuild = (reason: string): boolean =>
  /^(Build|Image|Registry|Source)/.test(reason) && reason !== 'ImagePullFailed';

interface Choice {
  readonly text: string;
  readonly picture: IconName;
  readonly path: string;
  readonly done: string;
}

function moreMenu({ namespace, name, s3_key }: FunctionAnswer): Markup {
  const at = `/${namespace}/functions/${name}`;
  const choices: readonly Choice[] = [
    {
      text: 'Restart pods',
      picture: 'restart',
      path: `${at}/restart`,
      done: 'Restarting, one pod after another',
    },
    { text: 'Rebuild', picture: 'rebuild', path: `${at}/rebuild`, done: 'Building the same code again' },
  ];
  return html`<details class="menu" data-menu><summary class="button square" aria-label="More actions" title="More actions">${icon('more')}</summary>
<div class="sheet">${choices.map(({ text, picture, path, done }) => html`<button type="button" data-method="POST" data-path="${path}" data-done="${done}"${s3_key === null ? html` disabled` : ''}>${icon(picture)}${text}</button>`)}
<button type="button" class="bad" data-method="DELETE" data-path="${at}" data-then="${BASE}/${namespace}" data-confirm="Delete the function ${name}? Its pods end at once, its code and its versions go. Triggers that name it stay." data-confirm-word="${name}">${icon('trash')}Delete…</button>
</div></details>`;
}
