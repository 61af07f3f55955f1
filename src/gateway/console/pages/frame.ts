import { html } from 'hono/html';
import { BASE } from '../base-path.ts';
import { icon } from '../parts/icon.ts';
import type { Content, Markup } from '../parts/markup.ts';
import { CSRF_FIELD } from '../session/csrf.ts';
import type { Look, View } from '../view.ts';

/** A step of the way back, and where one is. */
export interface Crumb {
  readonly text: string;
  readonly href?: string;
  readonly mono?: boolean;
}

interface DocumentOptions {
  readonly title: string;
  readonly head?: Content;
  readonly body: Content;
}

/** The whole of a page: no script or style stands in it, all are files. */
export function documentOf({ assets, theme }: Look, { title, head, body }: DocumentOptions): Markup {
  return html`<!doctype html>
<html lang="en"${theme === undefined ? '' : html` data-theme="${theme}"`}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · sless</title>
<link rel="icon" href="${assets.url('icon.svg')}" type="image/svg+xml">
<link rel="stylesheet" href="${assets.url('console.css')}">
<link rel="stylesheet" href="${assets.url('code.css')}">
<script type="module" src="${assets.url('main.js')}"></script>
${head}
</head>
<body>
${body}
</body>
</html>`;
}

interface PageOptions {
  readonly title: string;
  readonly crumbs: readonly Crumb[];
  readonly body: Content;
  /** Seconds after which what has changed is shown; never, where it is absent. */
  readonly live?: number;
}

/** A page for a visitor who has signed in. */
export function page(view: View, { title, crumbs, body, live }: PageOptions): Markup {
  const { session, namespace } = view;
  return documentOf(view, {
    title,
    head: html`<meta name="csrf" content="${session.csrf}"><meta name="namespace" content="${namespace}">`,
    body: html`<a class="skip" href="#main">Skip to content</a>
<header class="top">
<div class="bar">
<a class="logo" href="${BASE}/${namespace}" aria-label="sless: all functions">${icon('logo')}<span>sless</span></a>
<nav class="crumbs" aria-label="You are here"><ol>${crumbs.map(crumb)}</ol></nav>
${themeButton()}${session.by === 'cookie' ? signOut(session.csrf) : ''}
</div>
</header>
<main id="main" tabindex="-1"${live === undefined ? '' : html` data-live="${live}"`}>${body}</main>
<footer class="foot"><span>sless ${view.version}</span></footer>
<div id="toasts" class="toasts" role="status" aria-live="polite"></div>`,
  });
}

function crumb({ text, href, mono }: Crumb): Markup {
  const kind = mono === true ? 'mono' : '';
  if (href === undefined)
    return html`<li><span class="${kind}" aria-current="page" title="${text}">${text}</span></li>`;
  return html`<li><a class="${kind}" href="${href}" title="${text}">${text}</a></li>`;
}

function themeButton(): Markup {
  return html`<button class="quiet square theme" type="button" data-theme-toggle aria-label="Switch between light and dark">${icon('sun')}${icon('moon')}</button>`;
}

function signOut(csrf: string): Markup {
  return html`<form method="post" action="${BASE}/-/signout">
<input type="hidden" name="${CSRF_FIELD}" value="${csrf}">
<button class="quiet" type="submit">${icon('leave')}<span class="wide">Sign out</span></button>
</form>`;
}
