import { toast } from './toast.js';

const DONE_MS = 1600;

/** @param {string} text @param {Element} [button] shows that it is done */
export async function copy(text, button) {
  try {
    await (navigator.clipboard?.writeText(text) ?? byHand(text));
  } catch {
    await byHand(text);
  }
  button?.classList.add('done');
  setTimeout(() => button?.classList.remove('done'), DONE_MS);
  toast('Copied');
}

/** Where the page is not served securely there is no clipboard API. @param {string} text */
async function byHand(text) {
  const area = document.createElement('textarea');
  area.value = text;
  document.body.append(area);
  area.select();
  document.execCommand('copy');
  area.remove();
}

document.addEventListener('click', (event) => {
  const button = event.target instanceof Element ? event.target.closest('[data-copy]') : null;
  if (button instanceof HTMLElement) copy(button.dataset.copy ?? '', button);
});
