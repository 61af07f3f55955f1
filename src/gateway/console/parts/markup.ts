import { html } from 'hono/html';

/** Escaped markup, as the `html` of Hono makes it. Whatever is put into one as plain text stays text. */
export type Markup = ReturnType<typeof html>;

/** What may stand within a page: nothing is shown of `undefined` and `false`. */
export type Content = Markup | string | number | undefined | false | null | readonly Content[];

export const nothing: Markup = html``;
