// Shows what has changed: asks for the page again and takes over the parts that differ.
import { proof } from './rest.js';

const main = document.querySelector('main[data-live]');
const SECOND_MS = 1000;
/** @type {ReturnType<typeof setTimeout> | undefined} */
let timer;

/** Times in the reader's own zone. @param {ParentNode} within */
function localTimes(within) {
  for (const time of within.querySelectorAll('time[data-local]')) {
    const moment = new Date(time.getAttribute('datetime') ?? '');
    if (!Number.isNaN(moment.getTime()))
      time.textContent = moment.toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
  }
}

/** Asks now, whatever the time. */
export async function refresh() {
  if (!(main instanceof HTMLElement)) return;
  clearTimeout(timer);
  try {
    const response = await fetch(location.href, { headers: { accept: 'text/html', ...proof() } });
    if (response.status === 401) return location.reload();
    if (response.ok) takeOver(new DOMParser().parseFromString(await response.text(), 'text/html'));
  } catch {
    // Nothing is shown of a try that failed: the next one comes soon.
  }
  plan();
}

/** @param {Document} fresh */
function takeOver(fresh) {
  for (const part of document.querySelectorAll('[data-part]')) {
    const next = fresh.getElementById(part.id);
    // What stood in for the page itself has gone: the page has come.
    if (next === null && part.hasAttribute('data-passing')) return location.reload();
    if (next === null || next.outerHTML === known.get(part.id)) continue;
    // Nobody's menu closes under their hand: the next time will do.
    if (part.querySelector('[data-menu][open]') !== null) continue;
    known.set(part.id, next.outerHTML);
    replace(part, next);
  }
  const live = fresh.querySelector('main')?.getAttribute('data-live');
  if (live) main?.setAttribute('data-live', live);
  document.title = fresh.title;
  document.dispatchEvent(new CustomEvent('sless:fresh'));
}

/** What the server has said last of each part: what scripts have changed since is no difference. */
const known = new Map([...document.querySelectorAll('[data-part]')].map((part) => [part.id, part.outerHTML]));

/** Keeps the focus and what is open. @param {Element} part @param {Element} next */
function replace(part, next) {
  const focused = part.contains(document.activeElement) ? document.activeElement : null;
  const open = [...part.querySelectorAll('details')].map((details) => details.open);
  const scrolls = [...part.querySelectorAll('pre, .scroll')].map((box) => [box.scrollLeft, box.scrollTop]);
  part.replaceChildren(...next.childNodes);
  for (const { name, value } of next.attributes) part.setAttribute(name, value);
  [...part.querySelectorAll('details')].forEach((details, i) => {
    details.open = open[i] ?? details.open;
  });
  [...part.querySelectorAll('pre, .scroll')].forEach((box, i) => {
    box.scrollTo(scrolls[i]?.[0] ?? 0, scrolls[i]?.[1] ?? 0);
  });
  localTimes(part);
  if (focused === null) return;
  const again =
    focused.id === ''
      ? part.querySelector(`a[href="${CSS.escape(focused.getAttribute('href') ?? '')}"]`)
      : document.getElementById(focused.id);
  if (again instanceof HTMLElement) again.focus({ preventScroll: true });
}

function plan() {
  clearTimeout(timer);
  const seconds = Number(main?.getAttribute('data-live') ?? 0);
  if (seconds > 0 && !document.hidden) timer = setTimeout(refresh, seconds * SECOND_MS);
}

document.addEventListener('visibilitychange', () => (document.hidden ? clearTimeout(timer) : refresh()));
localTimes(document);
plan();
