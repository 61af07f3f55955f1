import { html } from 'hono/html';
import { BASE } from '../base-path.ts';
import { icon } from '../parts/icon.ts';
import type { Markup } from '../parts/markup.ts';
import type { View } from '../view.ts';
import { type FunctionData, functionPage } from './function-page.ts';

interface LogsOptions {
  readonly of: 'function' | 'build';
  /** Only lines from then on: what a call's own page leads to. */
  readonly since: string | undefined;
}

/** What pods, or the build, have written: a script of the page streams it. */
export function logsPage(view: View, data: FunctionData, { of, since }: LogsOptions): Markup {
  const { name, namespace } = data.fn;
  const path = `/${namespace}/functions/${name}/${of === 'build' ? 'build/' : ''}logs`;
  const link = (which: string, text: string) =>
    html`<a href="${BASE}/${namespace}/logs/${name}${which === 'build' ? '?of=build' : ''}"${which === of ? html` aria-current="true"` : ''}>${text}</a>`;
  return functionPage(view, data, {
    tab: 'logs',
    body: html`<section class="logs" data-logs="${path}" data-of="${of}" data-since="${since ?? ''}" aria-label="Logs">
<div class="toolbar">
<div class="segments" role="group" aria-label="Whose log">${link('function', 'Function')}${link('build', 'Build')}</div>
<label class="search">${icon('search')}<span class="sr">Filter lines</span><input type="search" placeholder="Filter lines" autocomplete="off" data-log-filter></label>
${of === 'build' ? '' : html`<label class="check"><input type="checkbox" data-log-previous><span>Before the last restart</span></label>`}
<span class="spring"></span>
<span class="live-state" role="status" data-log-state>Connecting…</span>
<button type="button" data-log-follow aria-pressed="true">Follow</button>
<button type="button" data-log-clear>Clear</button>
<button type="button" data-log-save>Download</button>
</div>
<div class="terminal" role="log" aria-live="off" tabindex="0" aria-label="Lines of the log" data-log-lines></div>
</section>`,
  });
}
