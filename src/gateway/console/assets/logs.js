// Streams a log by fetch: EventSource could not carry the proof that this page is ours.
import { createParser } from './lib/eventsource-parser/index.js';
import { ask, RestError, restUrl } from './rest.js';

const MAX_LINES = 5000;
const RETRY_MS = 1500;
/** Within so many pixels of the end one is at the end. */
const NEAR = 40;
/** As long as a pane goes on after a hand has pushed it. */
const HAND_MS = 1000;

const root = /** @type {HTMLElement} */ (document.querySelector('[data-logs]'));
const pane = /** @type {HTMLElement} */ (root.querySelector('[data-log-lines]'));
const state = /** @type {HTMLElement} */ (root.querySelector('[data-log-state]'));
const follow = /** @type {HTMLElement} */ (root.querySelector('[data-log-follow]'));
const filter = /** @type {HTMLInputElement} */ (root.querySelector('[data-log-filter]'));
const previous = /** @type {HTMLInputElement | null} */ (root.querySelector('[data-log-previous]'));
const { logs: path = '', since = '', of = '' } = root.dataset;

let atEnd = true;
let lastId = '';
let stop = new AbortController();
/** @type {string[]} */
let texts = [];

/** @param {string} text @param {string} [tone] */
function say(text, tone = '') {
  const dot = document.createElement('span');
  dot.className = `dot ${tone}`;
  dot.setAttribute('aria-hidden', 'true');
  state.replaceChildren(dot, text);
}

/** @param {string} text @param {string} [tone] */
function note(text, tone = '') {
  const line = document.createElement('div');
  line.className = `ln note ${tone}`;
  line.textContent = text;
  add(line);
}

/** @typedef {{ time: string | null, pod: string | null, container: string | null, line: string }} LogLine */

/** @param {LogLine} told */
function show({ time, pod, container, line }) {
  const row = document.createElement('div');
  const text = plain(line);
  row.className = `ln ${toneOf(text)}`;
  const [when, who, what] = [
    document.createElement('time'),
    document.createElement('span'),
    document.createElement('span'),
  ];
  when.textContent = time === null ? '' : clock(time);
  when.title = time ?? '';
  who.className = 'pod';
  who.textContent = of === 'build' ? (container ?? '') : shortPod(pod ?? '');
  who.title = `${pod ?? ''} ${container ?? ''}`.trim();
  what.className = 'text';
  what.textContent = text;
  row.append(when, who, what);
  row.hidden = !text.toLowerCase().includes(filter.value.toLowerCase());
  texts.push(time === null ? text : `${time} ${pod ?? ''} ${text}`);
  add(row);
}

/** @param {HTMLElement} row */
function add(row) {
  pane.append(row);
  while (pane.childElementCount > MAX_LINES) pane.firstElementChild?.remove();
  if (texts.length > MAX_LINES) texts = texts.slice(-MAX_LINES);
  toEnd();
}

let isDue = false;

/** Once a frame: heights of lines that were never seen are guesses, so that the end is where it is only when it is shown. */
function toEnd() {
  if (isDue || !atEnd) return;
  isDue = true;
  requestAnimationFrame(() => {
    isDue = false;
    if (!atEnd) return;
    pane.scrollTop = pane.scrollHeight;
    if (pane.scrollHeight - pane.scrollTop - pane.clientHeight > 1) toEnd();
  });
}

/** Without the colours of terminals. @param {string} line */
function plain(line) {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences begin with one
  return line.replace(/\u001b\[[0-9;?]*[A-Za-z]/g, '');
}

/** @param {string} text */
function toneOf(text) {
  if (/\b(error|exception|traceback|fatal|panic|critical)\b|[a-z]Error\b/i.test(text)) return 'error';
  return /\bwarn(ing)?\b/i.test(text) ? 'warn' : '';
}

/** @param {string} time */
function clock(time) {
  const moment = new Date(time);
  const two = (/** @type {number} */ part) => String(part).padStart(2, '0');
  return `${two(moment.getHours())}:${two(moment.getMinutes())}:${two(moment.getSeconds())}.${String(moment.getMilliseconds()).padStart(3, '0')}`;
}

/** What tells pods of one function apart stands at the end. @param {string} pod */
function shortPod(pod) {
  return pod.split('-').at(-1) ?? pod;
}

/** @param {AbortSignal} signal */
async function stream(signal) {
  const query = new URLSearchParams({ follow: 'true', tail: '500', ...(since === '' ? {} : { since }) });
  const headers = { accept: 'text/event-stream', ...(lastId === '' ? {} : { 'last-event-id': lastId }) };
  const response = await ask(`${restUrl(path)}?${query}`, { headers, signal });
  say('Live', 'good');
  let ended = false;
  const parser = createParser({
    onEvent: ({ id, event, data }) => {
      if (event === 'end') {
        ended = true;
        return end(JSON.parse(data));
      }
      if (data !== '') show(JSON.parse(data));
      if (id !== undefined) lastId = id;
    },
  });
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  for (;;) {
    const { value, done } = (await reader?.read()) ?? { value: undefined, done: true };
    if (done) return ended;
    parser.feed(value ?? '');
  }
}

/** @param {{ outcome: string, reason?: string }} told */
function end({ outcome, reason }) {
  say(outcome === 'succeeded' ? 'Build succeeded' : 'Build failed', outcome === 'succeeded' ? 'good' : 'bad');
  if (outcome === 'succeeded')
    return note(
      pane.childElementCount === 0
        ? 'The build succeeded. Nothing is kept of what it wrote.'
        : 'The build succeeded.',
      'good',
    );
  note(`The build failed: ${reason ?? ''}. What to do is said above.`, 'error');
}

/** Comes again after a break, without a line twice. @param {AbortSignal} signal */
async function run(signal) {
  while (!signal.aborted) {
    try {
      if (await stream(signal)) return;
      say('Reconnecting…', 'busy');
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof RestError && error.status >= 400 && error.status < 500 && error.status !== 429) {
        say('Not available', 'bad');
        return note(error.message, 'error');
      }
      say(
        error instanceof RestError && error.status === 429
          ? 'Too many streams: waiting'
          : 'Connection lost: trying again',
        'busy',
      );
    }
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }
}

/** What containers wrote before they were last restarted. @param {AbortSignal} signal */
async function readPrevious(signal) {
  try {
    const response = await ask(`${restUrl(path)}?previous=true&tail=1000`, {
      headers: { accept: 'application/x-ndjson' },
      signal,
    });
    const lines = (await response.text()).split('\n').filter((line) => line !== '');
    for (const line of lines) show(JSON.parse(line));
    say(lines.length === 0 ? 'Nothing there' : 'Before the last restart');
    if (lines.length === 0) note('No container was restarted, or nothing is left of what it wrote.');
  } catch (error) {
    if (signal.aborted) return;
    const isNothing = error instanceof RestError && error.status === 404;
    say(isNothing ? 'Nothing there' : 'Not available', isNothing ? '' : 'bad');
    note(error instanceof Error ? error.message : String(error), isNothing ? '' : 'error');
  }
}

function begin() {
  stop.abort();
  stop = new AbortController();
  lastId = '';
  clear();
  say('Connecting…', 'busy');
  if (previous?.checked) readPrevious(stop.signal);
  else run(stop.signal);
}

function clear() {
  pane.replaceChildren();
  texts = [];
}

/** @param {boolean} on */
function setFollow(on) {
  atEnd = on;
  follow.setAttribute('aria-pressed', String(on));
  toEnd();
}

follow.addEventListener('click', () => setFollow(!atEnd));
// Only a hand lets the end go: heights that were guessed make it scroll too.
let handAt = Number.NEGATIVE_INFINITY;
for (const kind of ['wheel', 'touchmove', 'pointerdown', 'keydown'])
  pane.addEventListener(
    kind,
    () => {
      handAt = performance.now();
    },
    { passive: true },
  );
pane.addEventListener('scroll', () => {
  const isNear = pane.scrollHeight - pane.scrollTop - pane.clientHeight < NEAR;
  if (isNear === atEnd) return;
  if (!isNear && performance.now() - handAt > HAND_MS) return toEnd();
  atEnd = isNear;
  follow.setAttribute('aria-pressed', String(isNear));
});
filter.addEventListener('input', () => {
  const wanted = filter.value.toLowerCase();
  for (const row of pane.querySelectorAll('.ln:not(.note)'))
    if (row instanceof HTMLElement)
      row.hidden = !(row.querySelector('.text')?.textContent ?? '').toLowerCase().includes(wanted);
});
previous?.addEventListener('change', begin);
root.querySelector('[data-log-clear]')?.addEventListener('click', clear);
root.querySelector('[data-log-save]')?.addEventListener('click', () => {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([`${texts.join('\n')}\n`], { type: 'text/plain' }));
  link.download = `${path.split('/')[3] ?? 'function'}.log`;
  link.click();
  URL.revokeObjectURL(link.href);
});
begin();
