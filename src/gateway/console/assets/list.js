// Narrows the list down to what is looked for.
const input = document.querySelector('[data-filter]');
const count = document.getElementById('filter-count');
let tone = '';

function apply() {
  const words = input instanceof HTMLInputElement ? input.value.trim().toLowerCase().split(/\s+/) : [];
  let shown = 0;
  for (const row of document.querySelectorAll('[data-row]')) {
    if (!(row instanceof HTMLElement)) continue;
    const text = row.dataset.row ?? '';
    const fits = words.every((word) => text.includes(word)) && (tone === '' || row.dataset.tone === tone);
    row.hidden = !fits;
    if (fits) shown += 1;
  }
  for (const button of document.querySelectorAll('[data-tone][aria-pressed]'))
    button.setAttribute('aria-pressed', String(button.getAttribute('data-tone') === tone));
  const none = document.getElementById('no-match');
  if (none !== null) none.hidden = shown > 0;
  const isAll = tone === '' && words.join('') === '';
  const told = isAll ? '' : `${shown} ${shown === 1 ? 'function' : 'functions'} shown`;
  if (count !== null && count.textContent !== told) count.textContent = told;
}

input?.addEventListener('input', apply);
document.addEventListener('sless:fresh', apply);
document.addEventListener('click', (event) => {
  const button = event.target instanceof Element ? event.target.closest('button[data-tone]') : null;
  if (button === null) return;
  tone = button.getAttribute('data-tone') ?? '';
  apply();
});
document.addEventListener('keydown', (event) => {
  const isTyping = event.target instanceof Element && event.target.matches('input, textarea, select');
  if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  if (input instanceof HTMLElement) input.focus();
});
