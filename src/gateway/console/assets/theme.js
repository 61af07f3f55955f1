const root = document.documentElement;
const system = matchMedia('(prefers-color-scheme: dark)');
const YEAR_SECONDS = 31_536_000;

const isDark = () => (root.dataset.theme ?? (system.matches ? 'dark' : 'light')) === 'dark';

/** Which picture the button shows; the colours need no script. */
function show() {
  root.classList.toggle('dark', isDark());
}

document.querySelector('[data-theme-toggle]')?.addEventListener('click', () => {
  const next = isDark() ? 'light' : 'dark';
  root.dataset.theme = next;
  // The server reads it, so that no page comes in the wrong colours first.
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store is not in every browser yet
  document.cookie = `sless-theme=${next}; path=/funcs; max-age=${YEAR_SECONDS}; samesite=strict`;
  show();
});
system.addEventListener('change', show);
show();
