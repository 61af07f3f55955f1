import { html } from 'hono/html';
import { icon } from './icon.ts';
import type { Markup } from './markup.ts';

/** A button that puts a text into the clipboard. @param what it is, as in `Copy URL` */
export function copyButton(text: string, what: string): Markup {
  return html`<button class="quiet square copy" type="button" data-copy="${text}" aria-label="Copy ${what}" title="Copy ${what}">${icon('copy')}${icon('check')}</button>`;
}
