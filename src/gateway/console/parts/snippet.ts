import { html } from 'hono/html';
import { copyButton } from './copy.ts';
import type { Markup } from './markup.ts';

/** A command to take along. */
export function snippet(command: string, what: string): Markup {
  return html`<div class="snippet"><pre tabindex="0" aria-label="${what}"><code>${command}</code></pre>${copyButton(command, what)}</div>`;
}
