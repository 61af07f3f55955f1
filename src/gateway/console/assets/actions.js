// Buttons that ask REST for something: data-method, data-path, data-body, data-confirm, data-done, data-then.
import { refresh } from './live.js';
import { ask, restUrl } from './rest.js';
import { toast } from './toast.js';

document.addEventListener('click', (event) => {
  const button = event.target instanceof Element ? event.target.closest('button[data-path]') : null;
  if (button instanceof HTMLButtonElement) act(button);
});

// A menu closes when one looks elsewhere.
document.addEventListener('click', (event) => closeMenus(event.target));
document.addEventListener('keydown', (event) => {
  if (event.key !== 'Escape') return;
  const menu = document.querySelector('details[data-menu][open]');
  closeMenus(null);
  menu?.querySelector('summary')?.focus();
});

/** @param {EventTarget | null} target */
function closeMenus(target) {
  for (const menu of document.querySelectorAll('details[data-menu][open]'))
    if (!(target instanceof Node && menu.contains(target))) menu.removeAttribute('open');
}

/** @param {HTMLButtonElement} button */
async function act(button) {
  const { method = 'POST', path = '', body, confirm: question, confirmWord, done, then } = button.dataset;
  closeMenus(null);
  if (question !== undefined && !(await confirmed(question, confirmWord, button.textContent?.trim() ?? '')))
    return;
  button.setAttribute('aria-busy', 'true');
  try {
    await ask(restUrl(path), { method, ...(body === undefined ? {} : { json: JSON.parse(body) }) });
    if (then !== undefined) return location.assign(then === '' ? location.href : then);
    if (done !== undefined) toast(done);
    await refresh();
  } catch (error) {
    toast(error instanceof Error ? error.message : String(error), 'bad');
  } finally {
    button.removeAttribute('aria-busy');
  }
}

/**
 * Asks before what cannot be undone.
 *
 * @param {string} question
 * @param {string | undefined} word what must be typed first
 * @param {string} verb
 * @returns {Promise<boolean>}
 */
function confirmed(question, word, verb) {
  const dialog = document.createElement('dialog');
  dialog.setAttribute('aria-labelledby', 'dialog-title');
  const form = document.createElement('form');
  form.method = 'dialog';
  const title = element('h2', verb.replace('…', ''));
  title.id = 'dialog-title';
  const input = document.createElement('input');
  const [no, yes] = [element('button', 'Cancel'), element('button', verb.replace('…', ''))];
  no.type = 'button';
  yes.className = 'danger';
  yes.value = 'yes';
  form.append(title, element('p', question));
  if (word !== undefined) {
    const label = element('label', `Type ${word} to go on`);
    label.htmlFor = input.id = 'dialog-word';
    input.autocomplete = 'off';
    yes.disabled = true;
    input.addEventListener('input', () => {
      yes.disabled = input.value !== word;
    });
    form.append(label, input);
  }
  const line = element('div', '');
  line.className = 'line';
  line.append(no, yes);
  form.append(line);
  dialog.append(form);
  document.body.append(dialog);
  no.addEventListener('click', () => dialog.close(''));
  return new Promise((resolve) => {
    dialog.addEventListener('close', () => {
      dialog.remove();
      resolve(dialog.returnValue === 'yes');
    });
    dialog.showModal();
  });
}

/**
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} name
 * @param {string} text
 */
function element(name, text) {
  const made = document.createElement(name);
  made.textContent = text;
  return made;
}
