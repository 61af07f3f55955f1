import { html } from 'hono/html';
import { BASE } from '../base-path.ts';
import { icon } from '../parts/icon.ts';
import type { Content, Markup } from '../parts/markup.ts';
import type { View } from '../view.ts';
import { type FunctionData, functionPage } from './function-page.ts';

const METHODS = ['POST', 'GET', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'];

interface TestOptions {
  /** Whether calls can be sent from here. */
  readonly possible: boolean;
}

/** A call to write, and what the function answers. */
export function testPage(view: View, data: FunctionData, { possible }: TestOptions): Markup {
  const isReady = possible && data.fn.url !== null;
  return functionPage(view, data, {
    tab: 'test',
    isBusy: !isReady && data.triggers.some(({ type, enabled }) => type === 'http' && enabled),
    body: isReady
      ? form(data)
      : html`<div id="not-callable" data-part data-passing>${notCallable(data, possible)}</div>`,
  });
}

function form({ fn }: FunctionData): Markup {
  return html`<form class="call grid" data-call="${BASE}/-/call/${fn.namespace}/${fn.name}" data-url="${fn.url ?? ''}" data-log-page="${BASE}/${fn.namespace}/logs/${fn.name}">
<section class="card" aria-labelledby="request-title">
<div class="card-head"><h2 id="request-title">Request</h2><button type="button" class="quiet" data-call-curl>${icon('copy')}<span>Copy as curl</span></button></div>
<div class="line"><label class="sr" for="method">Method</label><select id="method" name="method">${METHODS.map((method) => html`<option>${method}</option>`)}</select>
<label class="sr" for="target">Path and query behind the function's URL</label><input id="target" name="target" class="mono" placeholder="/path?query=value" autocomplete="off" spellcheck="false"></div>
<label for="headers">Headers <span class="hint">one a line</span></label>
<textarea id="headers" name="headers" class="mono" rows="2" spellcheck="false">content-type: application/json</textarea>
<div class="line between"><label for="body">Body</label><span><button type="button" class="quiet" data-call-format>Format</button></span></div>
<div class="editor"><pre aria-hidden="true"><code></code></pre><textarea id="body" name="body" class="mono" rows="12" spellcheck="false" aria-describedby="body-state">{
  "name": "Ada"
}</textarea></div>
<p id="body-state" class="hint" role="status"></p>
<div class="line between"><span class="hint"><kbd>Ctrl</kbd> <kbd>Enter</kbd> sends</span><button class="primary" type="submit">${icon('send')}Send</button></div>
</section>
<section class="card answer" aria-labelledby="answer-title" aria-live="polite">
<div class="card-head"><h2 id="answer-title">Answer</h2><span data-answer-facts></span></div>
<div data-answer><p class="dim">Nothing was sent yet.</p></div>
</section>
</form>`;
}

function notCallable({ fn, triggers }: FunctionData, possible: boolean): Content {
  const http = triggers.find(({ type }) => type === 'http');
  if (!possible) return html`<p class="notice">Calls cannot be sent from this installation's console.</p>`;
  const [text, button] =
    http === undefined
      ? ['It has no URL: nothing from outside reaches it.', create(fn)]
      : http.enabled
        ? [`Its URL is not active yet: ${http.message}.`, '']
        : ['Its URL is disabled.', enable(fn.namespace, http.name)];
  return html`<section class="empty">${icon('globe')}<h2>Nothing to call</h2><p>${text}</p>${button}</section>`;
}

function create({ namespace, name }: FunctionData['fn']): Markup {
  const body = JSON.stringify({ name: `${name}-http`, type: 'http', function: name });
  return html`<button type="button" class="primary" data-method="POST" data-path="/${namespace}/triggers" data-body="${body}" data-then="">${icon('globe')}Give it a URL</button>`;
}

function enable(namespace: string, name: string): Markup {
  return html`<button type="button" class="primary" data-method="PATCH" data-path="/${namespace}/triggers/${name}" data-body="${JSON.stringify({ enabled: true })}" data-then="">Enable the URL</button>`;
}
