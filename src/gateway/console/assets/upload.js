// Code from this machine: a zip as it is, a folder zipped here, sent with progress.
import { zip } from './lib/fflate.js';
import { refresh } from './live.js';
import { ask, proof, RestError, restUrl } from './rest.js';

const MAX_BYTES = 33_554_432;
/** What builds make again, and what is nobody's code. */
const LEFT_OUT = /(?:^|\/)(?:node_modules|\.git|\.venv|venv|__pycache__|\.sless|\.DS_Store)(?:\/|$)/;

const root = /** @type {HTMLElement} */ (document.querySelector('[data-upload]'));
const drop = /** @type {HTMLElement} */ (root.querySelector('[data-drop]'));
const state = /** @type {HTMLElement} */ (root.querySelector('[data-upload-state]'));
const bar = /** @type {HTMLProgressElement} */ (root.querySelector('[data-upload-bar]'));
const problem = /** @type {HTMLElement} */ (root.querySelector('[data-upload-error]'));
const namespace = document.querySelector('meta[name="namespace"]')?.getAttribute('content') ?? '';

/** @typedef {{ path: string, file: File }} Found */
/** @typedef {{ zip: Blob, label: string }} Code */

/** Chosen for a function that is not there yet. @type {Code | undefined} */
let chosen;

/** @param {string} text */
function say(text) {
  state.hidden = text === '';
  state.textContent = text;
}

/** @param {unknown} error */
function fail(error) {
  bar.hidden = true;
  say('');
  problem.hidden = false;
  problem.textContent = error instanceof Error ? error.message : String(error);
}

/** @param {Found[]} found */
async function take(found) {
  problem.hidden = true;
  try {
    const code = await codeOf(found);
    if (root.dataset.upload === '') {
      chosen = code;
      return say(`${code.label} (${kib(code.zip.size)}) is ready to be uploaded.`);
    }
    await send(root.dataset.upload ?? '', code);
    await refresh();
  } catch (error) {
    fail(error);
  }
}

/** @param {Found[]} found @returns {Promise<Code>} */
async function codeOf(found) {
  const [first] = found;
  if (first === undefined) throw new Error('Nothing was dropped that can be read.');
  const isZip = found.length === 1 && /\.zip$/i.test(first.path);
  const code = isZip ? { zip: first.file, label: first.file.name } : await zipped(found);
  if (code.zip.size > MAX_BYTES)
    throw new Error(`${code.label} is ${kib(code.zip.size)}: a zip may be 32 MiB at most.`);
  return code;
}

/** @param {Found[]} found @returns {Promise<Code>} */
async function zipped(found) {
  const kept = found.filter(({ path }) => !LEFT_OUT.test(path));
  if (kept.length === 0) throw new Error('There is no file in it that belongs to the code.');
  say(`Zipping ${kept.length} files…`);
  /** @type {Record<string, Uint8Array>} */
  const entries = {};
  for (const { path, file } of kept) entries[path] = new Uint8Array(await file.arrayBuffer());
  return new Promise((resolve, reject) => {
    zip(entries, { level: 6 }, (error, bytes) => {
      if (error) return reject(error);
      resolve({
        zip: new Blob([new Uint8Array(bytes)]),
        label: kept.length === 1 ? '1 file' : `${kept.length} files`,
      });
    });
  });
}

/** @param {number} bytes */
const kib = (bytes) =>
  bytes < 1_048_576
    ? `${Math.max(1, Math.round(bytes / 1024))} KiB`
    : `${(bytes / 1_048_576).toFixed(1)} MiB`;

/**
 * `fetch` tells nobody how far an upload is.
 *
 * @param {string} name
 * @param {Code} code
 * @returns {Promise<void>}
 */
function send(name, { zip: body, label }) {
  const form = new FormData();
  form.set('code', body, 'code.zip');
  const request = new XMLHttpRequest();
  request.open('POST', restUrl(`/${namespace}/functions/${name}/upload`));
  for (const [field, value] of Object.entries(proof())) request.setRequestHeader(field, value);
  bar.hidden = false;
  bar.value = 0;
  say(`Uploading ${label}…`);
  return new Promise((resolve, reject) => {
    request.upload.addEventListener('progress', ({ loaded, total }) => {
      bar.value = (loaded / total) * 100;
      say(loaded < total ? `Uploading ${label}: ${Math.round(bar.value)} %` : 'Checking the code…');
    });
    request.addEventListener('error', () =>
      reject(new RestError('The upload broke off: sless cannot be reached.', 0)),
    );
    request.addEventListener('load', () => {
      if (request.status !== 200) return reject(new RestError(wordsIn(request), request.status));
      const { message } = JSON.parse(request.responseText);
      bar.hidden = true;
      say(
        message === 'already built'
          ? 'This code was built before: it takes over at once.'
          : 'Uploaded: the build begins.',
      );
      resolve();
    });
    request.send(form);
  });
}

/** @param {XMLHttpRequest} request */
function wordsIn({ status, responseText }) {
  if (status === 401) return 'The session has ended: reload the page to sign in again.';
  try {
    return String(JSON.parse(responseText).error);
  } catch {
    return `The answer was ${status}.`;
  }
}

/** All files below what was dropped. @param {DataTransfer} dropped @returns {Promise<Found[]>} */
async function dropped(dropped) {
  const entries = [...dropped.items].map((item) => item.webkitGetAsEntry()).filter((entry) => entry !== null);
  const found = await Promise.all(entries.map((entry) => below(entry, '')));
  return found.flat();
}

/** @param {FileSystemEntry} entry @param {string} prefix @returns {Promise<Found[]>} */
async function below(entry, prefix) {
  const path = prefix + entry.name;
  if (LEFT_OUT.test(path)) return [];
  if (entry.isFile) {
    const file = await new Promise((resolve, reject) =>
      /** @type {FileSystemFileEntry} */ (entry).file(resolve, reject),
    );
    return [{ path, file }];
  }
  const reader = /** @type {FileSystemDirectoryEntry} */ (entry).createReader();
  /** @type {Found[]} */
  const found = [];
  for (;;) {
    /** @type {FileSystemEntry[]} */
    const some = await new Promise((resolve, reject) => reader.readEntries(resolve, reject));
    if (some.length === 0) return found;
    found.push(...(await Promise.all(some.map((each) => below(each, `${path}/`)))).flat());
  }
}

for (const kind of ['folder', 'zip']) {
  const input = /** @type {HTMLInputElement} */ (root.querySelector(`[data-input="${kind}"]`));
  root.querySelector(`[data-choose="${kind}"]`)?.addEventListener('click', () => input.click());
  input.addEventListener('change', () => {
    take([...(input.files ?? [])].map((file) => ({ path: file.webkitRelativePath || file.name, file })));
    input.value = '';
  });
}
drop.addEventListener('dragover', (event) => {
  event.preventDefault();
  drop.classList.add('over');
});
drop.addEventListener('dragleave', () => drop.classList.remove('over'));
drop.addEventListener('drop', async (event) => {
  event.preventDefault();
  drop.classList.remove('over');
  if (event.dataTransfer !== null) take(await dropped(event.dataTransfer));
});

if (root instanceof HTMLFormElement)
  root.addEventListener('submit', (event) => {
    event.preventDefault();
    create(root).catch(fail);
  });

/** The function, its URL, its code: what is there already after a mistake is not made twice. @param {HTMLFormElement} form */
async function create(form) {
  problem.hidden = true;
  const fields = new FormData(form);
  const name = String(fields.get('name'));
  const entrypoint = String(fields.get('entrypoint') ?? '');
  if (form.dataset.made !== name) {
    const json = { name, runtime: fields.get('runtime'), ...(entrypoint === '' ? {} : { entrypoint }) };
    await ask(restUrl(`/${namespace}/functions`), { method: 'POST', json });
    form.dataset.made = name;
    if (fields.get('http') !== null)
      await ask(restUrl(`/${namespace}/triggers`), {
        method: 'POST',
        json: { name: `${name}-http`, type: 'http', function: name },
      });
  }
  if (chosen !== undefined) await send(name, chosen);
  location.assign(`/funcs/${namespace}/functions/${name}`);
}
