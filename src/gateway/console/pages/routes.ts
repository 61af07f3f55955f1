import type { Assets } from '../assets.ts';
import { BASE } from '../base-path.ts';
import type { ConsoleApp, ConsoleContext, ConsoleDeps, ConsoleOptions } from '../deps.ts';
import type { Markup } from '../parts/markup.ts';
import { passOn } from '../rest/bridge.ts';
import { readFunctions, readTriggers } from '../rest/lists.ts';
import { wantsPage } from '../session/provenance.ts';
import { type View, viewOf } from '../view.ts';
import { deployPage } from './deploy.ts';
import { type FunctionData, readFunction, type Tab } from './function-page.ts';
import { invocationsPage } from './invocations.ts';
import { listPage } from './list.ts';
import { logsPage } from './logs.ts';
import { newPage } from './new.ts';
import { overviewPage } from './overview.ts';
import { settingsPage } from './settings.ts';
import { readSource, sourcePage } from './source.ts';
import { testPage } from './test.ts';
import { functionText, listText, sourceText } from './text.ts';
import { triggersPage } from './triggers.ts';

interface PageParts {
  readonly deps: ConsoleDeps;
  readonly options: ConsoleOptions;
  readonly assets: Assets;
}

/** Every page for those who have signed in. */
export function registerPages(app: ConsoleApp, parts: PageParts): void {
  const see = (c: ConsoleContext): View => viewOf(c, parts);
  app.get(BASE, (c) => c.redirect(`${BASE}/${c.get('session').identity.namespace}`, 303));
  app.get(`${BASE}/:ns`, async (c) => {
    const view = see(c);
    const [functions, triggers] = await Promise.all([
      readFunctions(view.rest, view.namespace, c.req.query('cursor')),
      readTriggers(view.rest, view.namespace),
    ]);
    const data = { functions, triggers };
    return wantsPage(c) ? c.html(listPage(view, data)) : c.text(listText(data));
  });
  app.get(`${BASE}/:ns/new`, (c) => c.html(newPage(see(c), parts.deps.runtimes)));
  app.patch(`${BASE}/:ns/triggers/:name`, (c) =>
    passOn(
      parts.deps,
      c,
      `/namespaces/${c.req.param('ns')}/triggers/${encodeURIComponent(c.req.param('name'))}`,
    ),
  );
  registerFunctionPages(app, parts);
}

/** A part of a function's pages; as text, where a terminal asks and there is a text of it. */
interface Part {
  readonly html: (view: View, data: FunctionData, query: Query) => Markup | Promise<Markup>;
  readonly text?: (view: View, data: FunctionData, query: Query) => Promise<string> | string;
}

type Query = Readonly<Record<string, string>>;

function registerFunctionPages(app: ConsoleApp, parts: PageParts): void {
  const possible = parts.deps.callFunction !== undefined;
  const all: Readonly<Record<Tab, Part>> = {
    functions: { html: overviewPage, text: (_, data) => functionText(data) },
    source: {
      html: async (view, data, { file }) =>
        sourcePage(view, data, { files: await readSource(view, data.fn.name), path: file }),
      text: async (view, data) => sourceText(await readSource(view, data.fn.name)),
    },
    deployments: { html: deployPage },
    logs: {
      html: (view, data, { of, since }) =>
        logsPage(view, data, { of: of === 'build' ? 'build' : 'function', since }),
    },
    invocations: { html: invocationsPage },
    test: { html: (view, data) => testPage(view, data, { possible }) },
    triggers: { html: triggersPage },
    settings: { html: settingsPage },
  };
  for (const [word, part] of Object.entries(all))
    app.get(`${BASE}/:ns/${word}/:name`, async (c) => {
      const view = viewOf(c, parts);
      const data = await readFunction(view, c.req.param('name'));
      if (wantsPage(c)) return c.html(await part.html(view, data, c.req.query()));
      return c.text(await (part.text ?? ((_, each) => functionText(each)))(view, data, c.req.query()));
    });
}
