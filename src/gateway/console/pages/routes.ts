import type { Assets } from '../assets.ts';
import { BASE } from '../base-path.ts';
import type { ConsoleApp, ConsoleContext, ConsoleDeps, ConsoleOptions } from '../deps.ts';
import { readFunctions, readTriggers } from '../rest/lists.ts';
import { wantsPage } from '../session/provenance.ts';
import { type View, viewOf } from '../view.ts';
import { readFunction } from './function-page.ts';
import { listPage } from './list.ts';
import { logsPage } from './logs.ts';
import { overviewPage } from './overview.ts';
import { testPage } from './test.ts';
import { listText } from './text.ts';

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
  app.get(`${BASE}/:ns/functions/:name`, async (c) => {
    const view = see(c);
    return c.html(await overviewPage(view, await readFunction(view, c.req.param('name'))));
  });
  app.get(`${BASE}/:ns/logs/:name`, async (c) => {
    const view = see(c);
    const of = c.req.query('of') === 'build' ? 'build' : 'function';
    const data = await readFunction(view, c.req.param('name'));
    return c.html(logsPage(view, data, { of, since: c.req.query('since') }));
  });
  app.get(`${BASE}/:ns/test/:name`, async (c) => {
    const view = see(c);
    const data = await readFunction(view, c.req.param('name'));
    return c.html(testPage(view, data, { possible: parts.deps.callFunction !== undefined }));
  });
}
