// What every page has; the rest is loaded by the pages that need it.
import './theme.js';
import './actions.js';
import './copy.js';
import './live.js';

/** @param {string} selector @param {() => Promise<unknown>} load */
function where(selector, load) {
  if (document.querySelector(selector) !== null) load();
}

where('[data-filter]', () => import('./list.js'));
where('[data-logs]', () => import('./logs.js'));
where('[data-call]', () => import('./call.js'));
where('[data-code]', () => import('./code.js'));
where('[data-upload]', () => import('./upload.js'));
where('[data-rest]', () => import('./forms.js'));

// Where there is no room for all tabs, the one that is shown is among those that are seen.
const tab = document.querySelector('.tabs [aria-current]');
tab?.parentElement?.scrollTo({ left: /** @type {HTMLElement} */ (tab).offsetLeft - 40 });
