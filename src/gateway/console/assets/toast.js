const SHOWN_MS = 5000;

/**
 * Says something in the corner. What went wrong stays until it is read away.
 *
 * @param {string} message
 * @param {'good' | 'bad'} [tone]
 */
export function toast(message, tone = 'good') {
  const box = document.createElement('div');
  box.className = `toast ${tone}`;
  if (tone === 'bad') box.setAttribute('role', 'alert');
  const text = document.createElement('p');
  text.textContent = message;
  const close = document.createElement('button');
  close.type = 'button';
  close.className = 'quiet square';
  close.setAttribute('aria-label', 'Dismiss');
  close.textContent = '×';
  close.addEventListener('click', () => box.remove());
  box.append(text, close);
  document.getElementById('toasts')?.append(box);
  if (tone === 'good') setTimeout(() => box.remove(), SHOWN_MS);
}
