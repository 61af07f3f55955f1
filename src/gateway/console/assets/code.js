// Colours of source code. What highlight.js makes is escaped by it; nothing of it could run here anyway.
import hljs from './lib/highlight.js';

/** Beyond this a browser would stop for too long. */
const MAX_LENGTH = 200_000;

/**
 * Shows a text in the colours of its language.
 *
 * @param {Element} place
 * @param {string} text
 * @param {string} language
 */
export function paint(place, text, language) {
  if (text.length > MAX_LENGTH || hljs.getLanguage(language) === undefined) {
    place.textContent = text;
    return;
  }
  place.innerHTML = hljs.highlight(text, { language, ignoreIllegals: true }).value;
}

for (const block of document.querySelectorAll('[data-code]'))
  paint(block, block.textContent ?? '', block.getAttribute('data-code') ?? '');
