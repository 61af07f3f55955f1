import { html } from 'hono/html';
import { BASE } from '../base-path.ts';
import { icon } from '../parts/icon.ts';
import type { Markup } from '../parts/markup.ts';
import type { Look } from '../view.ts';
import { documentOf } from './frame.ts';

interface SignInOptions {
  /** Where to go then: a path of the console. */
  readonly to: string;
  /** What was wrong with the last try. */
  readonly error?: string | undefined;
  /** What the issuer of tokens is called, where one can sign in there. */
  readonly issuer?: string | undefined;
  readonly hint?: string | undefined;
}

/** The one page that needs no token. */
export function signInPage(look: Look, { to, error, issuer, hint }: SignInOptions): Markup {
  const start = `${BASE}/-/signin/oidc?to=${encodeURIComponent(to)}`;
  return documentOf(look, {
    title: 'Sign in',
    body: html`<main id="main" class="door">
<div class="logo big">${icon('logo')}<span>sless</span></div>
<section class="card" aria-labelledby="sign-in">
<h1 id="sign-in">Sign in</h1>
${error === undefined ? '' : html`<p class="notice bad" role="alert">${icon('alert')}<span>${error}</span></p>`}
${issuer === undefined ? '' : html`<a class="button primary wide-button" href="${start}">Continue with ${issuer}</a><p class="or"><span>or</span></p>`}
<form method="post" action="${BASE}/-/signin" class="stack">
<input type="hidden" name="to" value="${to}">
<label for="token">Token</label>
<textarea id="token" name="token" class="mono secret" rows="4" required autocomplete="off" spellcheck="false" autocapitalize="off" placeholder="eyJhbGciOi…" aria-describedby="token-hint"></textarea>
<p id="token-hint" class="hint">${hint ?? 'The bearer token (JWT) that you use with the API. It is kept in a cookie that no script can read, until it expires.'}</p>
<button class="${issuer === undefined ? 'primary ' : ''}wide-button" type="submit">Sign in with token</button>
</form>
</section>
</main>`,
  });
}

/** Lets the browser come again by itself: from a page of ours it sends the cookie that it kept back from another site's link. */
export function againPage(look: Look, to: string): Markup {
  return documentOf(look, {
    title: 'One moment',
    head: html`<meta http-equiv="refresh" content="0;url=${to}">`,
    body: html`<main id="main" class="door"><p><a href="${to}">Continue</a></p></main>`,
  });
}
