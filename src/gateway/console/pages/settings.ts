import { html } from 'hono/html';
import type { FunctionAnswer } from '../../api/functions/answer.ts';
import { BASE } from '../base-path.ts';
import { icon } from '../parts/icon.ts';
import type { Markup } from '../parts/markup.ts';
import type { View } from '../view.ts';
import { type FunctionData, functionPage } from './function-page.ts';

/** How a function runs. Only what was changed is sent. */
export function settingsPage(view: View, data: FunctionData): Markup {
  const { fn } = data;
  return functionPage(view, data, {
    tab: 'settings',
    body: html`<form class="grid" data-rest="PATCH" data-path="/${fn.namespace}/functions/${fn.name}" data-changed data-done="Saved: its pods take it over one after another">
<section class="card" aria-labelledby="run-title"><div class="card-head"><h2 id="run-title">How it runs</h2></div><div class="stack loose">
${number(fn, { name: 'replicas', text: 'Replicas', min: 0, max: 1000, hint: 'Pods while it is not stopped' })}
${number(fn, { name: 'concurrency', text: 'Calls at once in a pod', min: 1, max: 1000, hint: 'More are answered with 429' })}
${number(fn, { name: 'timeout_seconds', text: 'Time limit of a call', min: 1, max: 3600, hint: 'Seconds' })}
<div class="field"><label for="entrypoint">Entrypoint</label><input id="entrypoint" name="entrypoint" class="mono" value="${fn.entrypoint ?? ''}" autocomplete="off" data-empty="null"></div>
<div class="field"><label for="memory">Memory limit</label><input id="memory" name="resources.limits.memory" value="${fn.resources?.limits?.memory ?? ''}" placeholder="the installation's default" data-resources="${JSON.stringify(fn.resources ?? {})}"><p class="hint">Such as 256Mi</p></div>
</div></section>
<section class="card" aria-labelledby="env-title"><div class="card-head"><h2 id="env-title">Environment</h2></div><div class="stack loose">
<div class="field"><label for="env">Variables <span class="hint">NAME=value, one a line</span></label><textarea id="env" name="env" class="mono" rows="8" spellcheck="false" data-type="env" placeholder="GREETING=hello">${lines(fn.env)}</textarea></div>
<div class="field"><label for="secrets">Secrets <span class="hint">names that begin with fn-, one a line</span></label><textarea id="secrets" name="secrets" class="mono" rows="3" spellcheck="false" data-type="lines" placeholder="fn-database">${fn.secrets.join('\n')}</textarea><p class="hint">All keys of a Secret become variables. A changed Secret takes effect at the next restart.</p></div>
</div></section>
<div class="span"><p class="notice bad" data-error role="alert" hidden></p><div class="line"><button class="primary" type="submit">Save changes</button><span class="hint" data-form-state role="status"></span></div></div>
</form>
<section class="card danger-zone" aria-labelledby="danger-title"><div class="card-head"><h2 id="danger-title">Delete this function</h2></div>
<div class="line between"><p class="dim">Its pods end at once, its code and its versions go. Triggers that name it stay.</p>${deleteButton(fn)}</div></section>`,
  });
}

function deleteButton({ namespace, name }: FunctionAnswer): Markup {
  return html`<button type="button" class="danger" data-method="DELETE" data-path="/${namespace}/functions/${name}" data-then="${BASE}/${namespace}" data-confirm="Delete the function ${name}? Its pods end at once, its code and its versions go. Triggers that name it stay." data-confirm-word="${name}">${icon('trash')}Delete…</button>`;
}

interface NumberField {
  readonly name: 'replicas' | 'concurrency' | 'timeout_seconds';
  readonly text: string;
  readonly min: number;
  readonly max: number;
  readonly hint: string;
}

function number(fn: FunctionAnswer, { name, text, min, max, hint }: NumberField): Markup {
  return html`<div class="field"><label for="${name}">${text}</label><input id="${name}" name="${name}" type="number" min="${min}" max="${max}" required value="${fn[name]}" data-type="number"><p class="hint">${hint}</p></div>`;
}

/** A value with a line feed is written as JSON, in quotes, so that a line stays a variable. */
function lines(env: Readonly<Record<string, string>>): string {
  return Object.entries(env)
    .map(([name, value]) => `${name}=${/[\n\r]|^"/.test(value) ? JSON.stringify(value) : value}`)
    .join('\n');
}
