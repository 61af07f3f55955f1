import { Hono, type MiddlewareHandler } from 'hono';
import { SlessError } from '../../errors.ts';
import { toErrorAnswer } from '../api/answer/error-body.ts';
import { challenge } from '../auth/bearer.ts';
import { loadAssets } from './assets.ts';
import { BASE } from './base-path.ts';
import type { ConsoleApp, ConsoleContext, ConsoleDeps, ConsoleEnv, ConsoleOptions } from './deps.ts';
import { noStore, PAGE_HEADERS } from './headers.ts';
import { failurePage } from './pages/failure.ts';
import { registerPages } from './pages/routes.ts';
import { againPage } from './pages/sign-in.ts';
import { failureText } from './pages/text.ts';
import { BRIDGE, registerBridge } from './rest/bridge.ts';
import { registerCall } from './rest/call.ts';
import { isCrossSite, isNavigation, wantsPage } from './session/provenance.ts';
import { requireSession } from './session/require-session.ts';
import { returnPath } from './session/return-path.ts';
import { registerSignIn, showSignIn } from './session/sign-in.ts';
import { lookOf, namespaceOf, viewOf } from './view.ts';

/** Whether a request is for the console, by its raw target. */
export function belongsToConsole(url = ''): boolean {
  return url.startsWith(BASE) && (url.length === BASE.length || /[/?]/.test(url[BASE.length] ?? ''));
}

/** The console: pages at `/funcs` for browsers, the same in text for a terminal. Serve it with `webListener`. */
export function createConsole(deps: ConsoleDeps, options: ConsoleOptions): ConsoleApp {
  const app: ConsoleApp = new Hono();
  const assets = loadAssets();
  const parts = { deps, options, assets };
  app.use(PAGE_HEADERS, noStore);
  assets.register(app);
  registerSignIn(app, parts);
  app.use(requireSession(deps, options));
  registerBridge(app, deps);
  registerCall(app, deps);
  app.use(`${BASE}/:ns/*`, requireNamespace);
  registerPages(app, parts);
  app.notFound((c) => answerError(c, parts, new SlessError('NotFound', `there is nothing at ${c.req.path}`)));
  app.onError((error, c) => answerError(c, parts, error));
  return app;
}

const requireNamespace: MiddlewareHandler<ConsoleEnv> = async (c, next) => {
  if (namespaceOf(c) === undefined) throw new SlessError('NotFound', `there is nothing at ${c.req.path}`);
  await next();
};

type Parts = Parameters<typeof showSignIn>[1];

/** An error in the form that whoever asks can read: a page, JSON for scripts, a line for a terminal. */
function answerError(c: ConsoleContext, parts: Parts, cause: Error): Response | Promise<Response> {
  const { status, body, headers } = toErrorAnswer(cause);
  const known = new SlessError(body.code, body.error);
  if (status >= 500 && status !== 501)
    parts.deps.logger.error({ err: cause, path: c.req.path }, 'a page failed');
  for (const [name, value] of Object.entries(headers)) c.header(name, value);
  const isScript = c.req.path.startsWith(`${BRIDGE}/`) || c.req.path.startsWith(`${BASE}/-/call/`);
  // The table of errors holds statuses with bodies alone.
  if (isScript) return c.json(body, status as 400);
  if (status === 401) return answerStranger(c, parts, known);
  if (!wantsPage(c)) return c.text(failureText(known), status as 400);
  const look = c.get('session') === undefined ? lookOf(c, parts) : viewOf(c, parts);
  return c.html(failurePage(look, known), status as 400);
}

/** Whoever has no session signs in; one that came from another site's link has perhaps only kept its cookie back. */
function answerStranger(c: ConsoleContext, parts: Parts, error: SlessError): Response | Promise<Response> {
  const authorization = c.req.header('authorization');
  if (!wantsPage(c) || authorization !== undefined) {
    c.header('www-authenticate', challenge(authorization, error.message));
    return c.text(failureText(error), 401);
  }
  const to = returnPath(c.req.path + new URL(c.req.url).search);
  if (isCrossSite(c) && isNavigation(c)) return c.html(againPage(lookOf(c, parts), to));
  return showSignIn(c, parts, { to });
}
