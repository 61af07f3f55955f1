import { html } from 'hono/html';
import type { RuntimeCatalogue } from '../../../runtimes/catalogue.ts';
import { BASE } from '../base-path.ts';
import { dropZone } from '../parts/drop-zone.ts';
import type { Markup } from '../parts/markup.ts';
import type { View } from '../view.ts';
import { page } from './frame.ts';

/** A new function: its name, its runtime, its code, and whether it gets a URL. */
export function newPage(view: View, runtimes: RuntimeCatalogue): Markup {
  const { namespace } = view;
  return page(view, {
    title: 'New function',
    crumbs: [{ text: namespace, href: `${BASE}/${namespace}`, mono: true }, { text: 'New function' }],
    body: html`<div class="heading"><h1>New function</h1></div>
<form class="grid" data-upload="" data-new="${namespace}">
<section class="card" aria-labelledby="what-title"><div class="card-head"><h2 id="what-title">What it is</h2></div><div class="stack loose">
<div class="field"><label for="name">Name</label><input id="name" name="name" required maxlength="40" pattern="[a-z](?:[\\-a-z0-9]*[a-z0-9])?" autocomplete="off" spellcheck="false" placeholder="hello" aria-describedby="name-hint"><p id="name-hint" class="hint">Lower-case letters, digits and dashes; it becomes part of the URL.</p></div>
<fieldset class="field"><legend>Runtime</legend><div class="choices">${[...runtimes.values()].map(({ name, title }, i) => html`<label class="choice"><input type="radio" name="runtime" value="${name}"${i === 0 ? html` checked` : ''}><span><b>${title}</b><br><code>${name}</code></span></label>`)}</div></fieldset>
<div class="field"><label for="entrypoint">Entrypoint</label><input id="entrypoint" name="entrypoint" class="mono" placeholder="handler.handle" autocomplete="off"><p class="hint">module.function</p></div>
<label class="check"><input type="checkbox" name="http" checked><span>Give it a public URL</span></label>
</div></section>
<section class="card" aria-labelledby="code-title"><div class="card-head"><h2 id="code-title">Code <span class="hint">may come later</span></h2></div>
${dropZone()}</section>
<div class="span line"><button class="primary" type="submit">Create function</button><a class="button quiet" href="${BASE}/${namespace}">Cancel</a></div>
</form>`,
  });
}
