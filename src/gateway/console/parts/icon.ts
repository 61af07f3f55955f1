import { html, raw } from 'hono/html';

/** Shapes on a grid of 24, drawn in the colour of the text around them. */
const SHAPES = {
  logo: '<path d="M5 7.5 12 3.5l7 4v9l-7 4-7-4z"/><path d="m9 10.2 3-1.7 3 1.7M9 13.8l3 1.7 3-1.7"/>',
  globe:
    '<circle cx="12" cy="12" r="9"/><path d="M3 12h18M12 3c2.5 2.6 3.8 5.6 3.8 9s-1.3 6.4-3.8 9c-2.5-2.6-3.8-5.6-3.8-9S9.5 5.6 12 3"/>',
  clock: '<circle cx="12" cy="12" r="9"/><path d="M12 7v5l3.2 2"/>',
  queue:
    '<rect x="3" y="5" width="18" height="4.5" rx="1.2"/><rect x="3" y="14.5" width="18" height="4.5" rx="1.2"/><path d="M7 9.5v5m10-5v5"/>',
  play: '<path d="M7.5 5.2v13.6L18.5 12z"/>',
  stop: '<rect x="6" y="6" width="12" height="12" rx="2"/>',
  copy: '<rect x="9" y="9" width="11" height="11" rx="2"/><path d="M5.5 15H5a1.5 1.5 0 0 1-1.5-1.5v-8.5A1.5 1.5 0 0 1 5 3.5h8.5A1.5 1.5 0 0 1 15 5v.5"/>',
  check: '<path d="m5 12.5 4.5 4.5L19 7.5"/>',
  search: '<circle cx="11" cy="11" r="6.5"/><path d="m20 20-4.3-4.3"/>',
  plus: '<path d="M12 5v14M5 12h14"/>',
  minus: '<path d="M5 12h14"/>',
  more: '<circle cx="5" cy="12" r="1.3"/><circle cx="12" cy="12" r="1.3"/><circle cx="19" cy="12" r="1.3"/>',
  sun: '<circle cx="12" cy="12" r="4"/><path d="M12 2.5v2m0 15v2M2.5 12h2m15 0h2M5.3 5.3l1.4 1.4m10.6 10.6 1.4 1.4m0-13.4-1.4 1.4M6.7 17.3l-1.4 1.4"/>',
  moon: '<path d="M20 14.2A8.3 8.3 0 0 1 9.8 4a8.3 8.3 0 1 0 10.2 10.2"/>',
  leave: '<path d="M10 4H6a2 2 0 0 0-2 2v12a2 2 0 0 0 2 2h4m5-4 4-4-4-4m4 4H9"/>',
  upload: '<path d="M12 16V4.5m-5 4.8 5-4.8 5 4.8M4 16.5V18a2 2 0 0 0 2 2h12a2 2 0 0 0 2-2v-1.5"/>',
  folder: '<path d="M3.5 7a2 2 0 0 1 2-2h3.7l2 2.3h7.3a2 2 0 0 1 2 2V17a2 2 0 0 1-2 2h-13a2 2 0 0 1-2-2z"/>',
  file: '<path d="M6 3.5h7.5L18 8v11a1.5 1.5 0 0 1-1.5 1.5h-9A1.5 1.5 0 0 1 6 19zM13 3.5V8.5h5"/>',
  restart: '<path d="M4.5 12a7.5 7.5 0 1 1 2.3 5.4M4.5 18v-4.5H9"/>',
  rebuild: '<path d="m14.5 6.5 3-3 3 3-3 3zM13.5 8l-9 9 2.5 2.5 9-9"/>',
  trash:
    '<path d="M4.5 7h15M10 11v5.5m4-5.5v5.5M6 7l.8 12a1.5 1.5 0 0 0 1.5 1.4h7.4a1.5 1.5 0 0 0 1.5-1.4L18 7M9 7V4.5A1 1 0 0 1 10 3.5h4a1 1 0 0 1 1 1V7"/>',
  alert: '<path d="M12 4 2.8 19.5h18.4zM12 10v4.5m0 2.5v.1"/>',
  back: '<path d="M9.5 5 4.5 10l5 5M4.5 10h9a6 6 0 0 1 6 6v3"/>',
  next: '<path d="m9.5 6 6 6-6 6"/>',
  send: '<path d="M4 12 20 4l-5.5 16-3-6.5z"/>',
  shield:
    '<path d="M12 3.5 5 6v5.5c0 4.3 2.9 7.5 7 9 4.1-1.5 7-4.7 7-9V6z"/><path d="m9 12 2.2 2.2L15.2 10"/>',
  external:
    '<path d="M13.5 4.5H19.5V10.5M19 5l-8.5 8.5M17.5 14v4a1.5 1.5 0 0 1-1.5 1.5H6A1.5 1.5 0 0 1 4.5 18V8A1.5 1.5 0 0 1 6 6.5h4"/>',
} as const;

export type IconName = keyof typeof SHAPES;

/** A picture beside words that say the same: for screen readers it is not there. */
export function icon(name: IconName) {
  return html`<svg class="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false">${raw(SHAPES[name])}</svg>`;
}
