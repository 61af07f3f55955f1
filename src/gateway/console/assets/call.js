// A call to a function, written by hand.
import { paint } from './code.js';
import { copy } from './copy.js';
import { ask } from './rest.js';

const form = /** @type {HTMLFormElement} */ (document.querySelector('[data-call]'));
const field = (/** @type {string} */ name) => /** @type {HTMLInputElement} */ (form.elements.namedItem(name));
const body = field('body');
const editor = /** @type {HTMLElement} */ (form.querySelector('.editor'));
const mirror = /** @type {HTMLElement} */ (editor.querySelector('code'));
const bodyState = /** @type {HTMLElement} */ (document.getElementById('body-state'));
const facts = /** @type {HTMLElement} */ (form.querySelector('[data-answer-facts]'));
const answer = /** @type {HTMLElement} */ (form.querySelector('[data-answer]'));
const submit = /** @type {HTMLButtonElement} */ (form.querySelector('button[type="submit"]'));
const { call = '', url = '', logPage = '' } = form.dataset;

const isJson = () => /^content-type\s*:\s*application\/(?:[\w.-]+\+)?json/im.test(field('headers').value);
const hasBody = () => !['GET', 'HEAD'].includes(field('method').value);

/** Says at once where JSON is broken, and colours it. */
function check() {
  editor.classList.add('lit');
  paint(mirror, `${body.value}\n`, isJson() ? 'json' : 'plaintext');
  const problem = isJson() && hasBody() && body.value.trim() !== '' ? mistakeIn(body.value) : undefined;
  body.setAttribute('aria-invalid', String(problem !== undefined));
  bodyState.className = problem === undefined ? 'hint' : 'hint bad';
  const told = problem ?? (hasBody() ? '' : `A ${field('method').value} is sent without the body.`);
  if (bodyState.textContent !== told) bodyState.textContent = told;
}

/** @param {string} text @returns {string | undefined} */
function mistakeIn(text) {
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    const message = error instanceof Error ? error.message : '';
    const position = Number(/position (\d+)/.exec(message)?.[1] ?? text.length);
    const before = text.slice(0, position).split('\n');
    return `This is not JSON yet: line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}. It can be sent all the same.`;
  }
}

/** @returns {[string, string][]} */
function headers() {
  const lines = field('headers')
    .value.split('\n')
    .filter((line) => line.trim() !== '');
  return lines.map((line) => {
    const colon = line.indexOf(':');
    if (colon < 1) throw new Error(`“${line}” is no header: write a name, a colon and a value.`);
    return [line.slice(0, colon).trim(), line.slice(colon + 1).trim()];
  });
}

/** @param {Event} event */
async function send(event) {
  event.preventDefault();
  submit.setAttribute('aria-busy', 'true');
  facts.textContent = 'Waiting…';
  try {
    const wish = {
      method: field('method').value,
      target: field('target').value.trim(),
      headers: headers(),
      body: hasBody() ? body.value : '',
    };
    const response = await ask(call, { method: 'POST', json: wish });
    show(await response.json());
  } catch (error) {
    facts.textContent = '';
    const text = document.createElement('p');
    text.className = 'notice bad';
    text.textContent = error instanceof Error ? error.message : String(error);
    answer.replaceChildren(text);
  } finally {
    submit.removeAttribute('aria-busy');
  }
}

/** @typedef {{ status: number, headers: [string, string][], text: string | null, bytes: number, cut: boolean, milliseconds: number }} Answer */

/** @param {Answer} told */
function show({ status, headers: fields, text, bytes, cut, milliseconds }) {
  const chip = document.createElement('span');
  chip.className = `chip ${status < 400 ? 'good' : 'bad'}`;
  chip.textContent = String(status);
  facts.replaceChildren(chip, `${milliseconds} ms · ${bytes} bytes`);
  const type = fields.find(([name]) => name.toLowerCase() === 'content-type')?.[1] ?? '';
  const code = document.createElement('code');
  const shown = text === null ? '' : pretty(text, type);
  paint(code, shown, /json/.test(type) ? 'json' : /html|xml/.test(type) ? 'xml' : 'plaintext');
  const pre = document.createElement('pre');
  pre.tabIndex = 0;
  pre.setAttribute('aria-label', 'Body of the answer');
  pre.append(code);
  if (text === null) pre.textContent = `${bytes} bytes that are no text`;
  if (text === '') pre.textContent = 'No body';
  answer.replaceChildren(
    pre,
    ...(cut ? [hint('Only the first MiB is shown.')] : []),
    table(fields),
    logLink(fields),
  );
}

/** @param {string} text @param {string} type */
function pretty(text, type) {
  if (!/json/.test(type)) return text;
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

/** @param {string} text */
function hint(text) {
  const made = document.createElement('p');
  made.className = 'hint';
  made.textContent = text;
  return made;
}

/** @param {[string, string][]} fields */
function table(fields) {
  const details = document.createElement('details');
  const summary = document.createElement('summary');
  summary.textContent = `${fields.length} headers`;
  const made = document.createElement('table');
  for (const [name, value] of fields) {
    const row = made.insertRow();
    const head = document.createElement('th');
    head.scope = 'row';
    head.textContent = name;
    row.append(head);
    row.insertCell().textContent = value;
  }
  details.append(summary, made);
  return details;
}

/** @param {[string, string][]} fields */
function logLink(fields) {
  const id = fields.find(([name]) => name.toLowerCase() === 'x-request-id')?.[1];
  const made = hint(id === undefined ? '' : `Request ${id} · `);
  const link = document.createElement('a');
  link.href = `${logPage}?since=1m`;
  link.textContent = 'Logs of the last minute';
  made.append(link);
  return made;
}

/** @param {string} text */
const quoted = (text) => `'${text.replaceAll("'", `'\\''`)}'`;

function curl() {
  const method = field('method').value;
  const parts = [`curl -X ${method} ${quoted(url + field('target').value.trim())}`];
  for (const [name, value] of headers()) parts.push(`-H ${quoted(`${name}: ${value}`)}`);
  if (hasBody() && body.value !== '') parts.push(`--data-raw ${quoted(body.value)}`);
  return parts.join(' \\\n  ');
}

form.addEventListener('submit', send);
form.addEventListener('input', check);
body.addEventListener('scroll', () => {
  const pre = editor.querySelector('pre');
  if (pre !== null) pre.scrollTop = body.scrollTop;
});
form.addEventListener('keydown', (event) => {
  if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) form.requestSubmit();
});
form.querySelector('[data-call-format]')?.addEventListener('click', () => {
  try {
    body.value = JSON.stringify(JSON.parse(body.value), null, 2);
  } catch {
    // `check` says where it is broken.
  }
  check();
});
form.querySelector('[data-call-curl]')?.addEventListener('click', (event) => {
  try {
    copy(curl(), /** @type {Element} */ (event.currentTarget));
  } catch (error) {
    bodyState.textContent = error instanceof Error ? error.message : String(error);
  }
});
check();
