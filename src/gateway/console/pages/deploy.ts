import type { z } from '@hono/zod-openapi';
import { html } from 'hono/html';
import type { versionAnswer } from '../../api/functions/versions.ts';
import { BASE } from '../base-path.ts';
import { dropZone } from '../parts/drop-zone.ts';
import { icon } from '../parts/icon.ts';
import type { Content, Markup } from '../parts/markup.ts';
import { snippet } from '../parts/snippet.ts';
import { agoTime } from '../parts/time.ts';
import type { Listed } from '../rest/lists.ts';
import type { View } from '../view.ts';
import { type FunctionData, functionPage } from './function-page.ts';

export type Version = z.infer<typeof versionAnswer>;

/** Another version by dropping code, and those that there are. */
export async function deployPage(view: View, data: FunctionData): Promise<Markup> {
  const { fn } = data;
  const { items } = await view.rest.read<Listed<Version>>(`${view.namespace}/functions/${fn.name}/versions`);
  return functionPage(view, data, {
    tab: 'deployments',
    body: html`<div class="grid">
<section class="card" aria-labelledby="upload-title" data-upload="${fn.name}"><div class="card-head"><h2 id="upload-title">Deploy code</h2></div>
${dropZone()}</section>
<section class="card" aria-labelledby="terminal-title"><div class="card-head"><h2 id="terminal-title">From a terminal</h2></div>
<div class="stack loose">${snippet('sless deploy', 'Command')}${snippet(uploadCommand(fn), 'curl command')}</div>
<p class="hint spaced">Entrypoint: <code>${fn.entrypoint ?? '–'}</code>. The build's <a href="${BASE}/${fn.namespace}/logs/${fn.name}?of=build">log</a> is live while it runs.</p></section>
<section class="card span" aria-labelledby="versions-title" id="versions" data-part>
<div class="card-head"><h2 id="versions-title">Versions</h2><span class="hint">A rollback builds nothing</span></div>
${items.length === 0 ? html`<p class="dim">No build has succeeded yet.</p>` : versionTable(view, data, items)}</section>
</div>`,
  });
}

function uploadCommand({ namespace, name }: FunctionData['fn']): string {
  return `zip -r code.zip . && curl -F code=@code.zip \\\n  -H "Authorization: Bearer $SLESS_API_TOKEN" \\\n  $SLESS_ENDPOINT/v1/namespaces/${namespace}/functions/${name}/upload`;
}

function versionTable(view: View, { fn }: FunctionData, items: readonly Version[]): Markup {
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Table of versions"><table><thead><tr><th scope="col">Code</th><th scope="col">Built</th><th scope="col">State</th><th scope="col">Review</th><th scope="col">Image</th><th scope="col"><span class="sr">Actions</span></th></tr></thead>
<tbody>${items.map((version) => versionRow(view, fn, version))}</tbody></table></div>`;
}

function versionRow(view: View, fn: FunctionData['fn'], version: Version): Markup {
  const { s3_key, image, built_at, code_hash, review, served, current } = version;
  const code = code_hash?.slice(0, 12) ?? s3_key.split('/').at(-1) ?? s3_key;
  const state = current
    ? html`<span class="chip good">serving</span>`
    : html`<span class="chip ${served ? '' : 'off'}">${served ? 'has served' : 'never served'}</span>`;
  return html`<tr><th scope="row"><code title="${code_hash ?? s3_key}">${code}</code></th><td>${agoTime(built_at, view.now)}</td><td>${state}</td><td>${reviewed(review)}</td><td><code class="cut" title="${image}">${image.split('/').at(-1)}</code></td>
<td class="end">${s3_key === fn.s3_key ? '' : rollBack(fn, { s3_key, code })}</td></tr>`;
}

function rollBack(
  { namespace, name }: FunctionData['fn'],
  { s3_key, code }: { readonly s3_key: string; readonly code: string },
): Markup {
  return html`<button type="button" data-method="POST" data-path="/${namespace}/functions/${name}/rollback" data-body="${JSON.stringify({ s3_key })}" data-done="Rolling back to ${code}" data-confirm="Roll ${name} back to ${code}? It takes over once its pods are ready.">${icon('back')}Roll back<span class="sr"> to ${code}</span></button>`;
}

function reviewed(review: Version['review']): Content {
  if (review === null) return html`<span class="dim">not reviewed</span>`;
  const { verdict, model } = review;
  return html`<span class="chip ${verdict === 'safe' ? 'good' : 'busy'}" title="${model ?? ''}">${icon('shield')}${verdict}</span>`;
}
