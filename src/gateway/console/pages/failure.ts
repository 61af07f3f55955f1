import { html } from 'hono/html';
import type { SlessError } from '../../../errors.ts';
import { BASE } from '../base-path.ts';
import { icon } from '../parts/icon.ts';
import type { Content, Markup } from '../parts/markup.ts';
import { remedy } from '../parts/status.ts';
import type { Look, View } from '../view.ts';
import { documentOf, page } from './frame.ts';

/** What went wrong, in words, with a way on. */
export function failurePage(look: Look | View, error: Pick<SlessError, 'code' | 'message'>): Markup {
  const body = html`<section class="empty" aria-labelledby="failure">
${icon('alert')}
<h1 id="failure">${titleOf(error.code)}</h1>
<p>${sentence(error.message)}</p>
<p class="hint"><code>${error.code}</code> ${remedy(error.code)}</p>
${way(look, error.code)}
</section>`;
  if (!('session' in look))
    return documentOf(look, { title: 'Error', body: html`<main id="main">${body}</main>` });
  return page(look, { title: 'Error', crumbs: [{ text: look.namespace, mono: true }], body });
}

function titleOf(code: string): string {
  if (code === 'NotFound') return 'This is not here';
  if (code === 'NamespaceNotFound') return 'Your namespace is not there yet';
  return code === 'Forbidden' ? 'This is not yours' : 'That did not work';
}

function way(look: Look | View, code: string): Content {
  if (!('session' in look)) return html`<a class="button" href="${BASE}">To the functions</a>`;
  const { session, namespace } = look;
  if (code === 'NamespaceNotFound' && namespace === session.identity.namespace)
    return html`<button class="primary" type="button" data-method="POST" data-path="/${namespace}/ensure" data-then="${BASE}/${namespace}">Create my namespace</button>`;
  return html`<a class="button" href="${BASE}/${session.identity.namespace}">To my functions</a>`;
}

/** Messages are written to follow a code and a colon. */
export function sentence(message: string): string {
  const text = message.charAt(0).toUpperCase() + message.slice(1);
  return /[.!?:`\n]$/.test(text) || text === '' ? text : `${text}.`;
}
