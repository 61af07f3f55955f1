// Forms that go to REST as JSON: data-rest is the method, data-path the path; with data-changed only what was changed goes.
import { refresh } from './live.js';
import { ask, restUrl } from './rest.js';
import { toast } from './toast.js';

/** @typedef {HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement} Field */

/** @param {Field} field */
const isChanged = (field) => (field instanceof HTMLSelectElement ? true : field.value !== field.defaultValue);

/** @param {Field} field @returns {unknown} */
function valueIn(field) {
  const { value } = field;
  if (field.dataset.type === 'lines')
    return value
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '');
  if (field.dataset.type === 'env') return Object.fromEntries(variables(value));
  if (value.trim() === '') return null;
  return field.dataset.type === 'number' ? Number(value) : value;
}

/** @param {string} text @returns {[string, string][]} */
function variables(text) {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return lines.map((line) => {
    const at = line.indexOf('=');
    if (at < 1) throw new Error(`“${line}” is no variable: write NAME=value.`);
    const value = line.slice(at + 1);
    return [line.slice(0, at).trim(), value.startsWith('"') ? JSON.parse(value) : value];
  });
}

/** @param {HTMLFormElement} form */
function bodyOf(form) {
  /** @type {Record<string, unknown>} */
  const body = {};
  for (const field of /** @type {Iterable<Field>} */ (form.querySelectorAll('input, textarea, select'))) {
    if (field.name === '' || (form.dataset.changed !== undefined && !isChanged(field))) continue;
    const value = valueIn(field);
    if (field.dataset.resources !== undefined)
      body.resources = withMemory(JSON.parse(field.dataset.resources), value);
    else if (value !== null || form.dataset.changed !== undefined) body[field.name] = value;
  }
  return body;
}

/** The rest of the resources stays as it is. @param {Record<string, Record<string, string>>} resources @param {unknown} memory */
function withMemory(resources, memory) {
  const { memory: _, ...limits } = resources.limits ?? {};
  const next = memory === null ? limits : { ...limits, memory };
  const all = { ...resources, limits: next };
  return Object.keys(next).length === 0 && resources.requests === undefined ? null : all;
}

/** @param {HTMLFormElement} form */
async function submit(form) {
  const problem = /** @type {HTMLElement} */ (form.querySelector('[data-error]'));
  const state = form.querySelector('[data-form-state]');
  problem.hidden = true;
  const button = form.querySelector('button[type="submit"]');
  button?.setAttribute('aria-busy', 'true');
  try {
    const body = bodyOf(form);
    if (form.dataset.changed !== undefined && Object.keys(body).length === 0) {
      if (state !== null) state.textContent = 'Nothing was changed.';
      return;
    }
    await ask(restUrl(form.dataset.path ?? ''), { method: form.dataset.rest ?? 'POST', json: body });
    if (form.dataset.then !== undefined) return location.assign(form.dataset.then || location.href);
    keep(form);
    toast(form.dataset.done ?? 'Saved');
    if (state !== null) state.textContent = '';
    await refresh();
  } catch (error) {
    problem.hidden = false;
    problem.textContent = error instanceof Error ? error.message : String(error);
  } finally {
    button?.removeAttribute('aria-busy');
  }
}

/** What was saved is what the next change is held against. @param {HTMLFormElement} form */
function keep(form) {
  for (const field of form.querySelectorAll('input, textarea'))
    if (field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement)
      field.defaultValue = field.value;
}

for (const form of document.querySelectorAll('form[data-rest]'))
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    submit(/** @type {HTMLFormElement} */ (form));
  });
