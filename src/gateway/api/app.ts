import type { Context } from 'hono';
import { HTTPException } from 'hono/http-exception';
import { secureHeaders } from 'hono/secure-headers';
import { SlessError } from '../../errors.ts';
import { challenge } from '../auth/bearer.ts';
import { toErrorAnswer } from './answer/error-body.ts';
import { invalidRequest } from './answer/mistakes.ts';
import type { ApiApp, ApiDeps, ApiEnv, ApiOptions } from './deps.ts';
import { registerDocs } from './docs/routes.ts';
import { registerPublishEvent } from './events/publish.ts';
import { registerCreateFunction } from './functions/create.ts';
import { registerGetFunction } from './functions/get.ts';
import { registerListFunctions } from './functions/list.ts';
import { registerPatchFunction } from './functions/patch.ts';
import { registerPower } from './functions/power.ts';
import { registerDeleteFunction } from './functions/remove.ts';
import { registerRenewals } from './functions/renew.ts';
import { registerRollback } from './functions/rollback.ts';
import { registerReadSource } from './functions/source.ts';
import { registerListVersions } from './functions/versions.ts';
import { registerHealth } from './health.ts';
import { registerInvocations } from './invocations/routes.ts';
import { registerJobs } from './jobs/register.ts';
import { registerLogs } from './logs/routes.ts';
import { registerEnsure } from './namespaces/ensure.ts';
import { createOpenApiApp, openApiText } from './openapi.ts';
import { allowedNamespace, authenticated, enabledNamespace } from './request/access.ts';
import { ACCEPTED_CODING } from './request/content-coding.ts';
import { observeRequests } from './request/observe.ts';
import { paced } from './request/pace.ts';
import { boundedLists } from './request/paging.ts';
import { unknownRoute } from './request/unknown-route.ts';
import { registerTriggers } from './triggers/register.ts';
import { registerUpload } from './upload/route.ts';

/**
 * The REST API. Serve it with `receive(createServer(SERVER_OPTIONS), { request: webListener(app) })`: uploads are
 * read from the raw request in `c.env.incoming`.
 */
export function createApi(deps: ApiDeps, options: ApiOptions): ApiApp {
  const app = createOpenApiApp();
  app.defaultHook = (result) => {
    if (!result.success) throw invalidRequest(result.error.issues);
  };
  app.use(observeRequests(deps, options));
  registerHealth(app, deps);
  registerDocs(app, () => document);
  app.use('/v1/*', secureHeaders(HEADERS), noStore);
  app.use('/v1/*', authenticated(deps.authenticator));
  if (options.ratePerToken !== undefined)
    app.use('/v1/*', paced(options.ratePerToken, deps.monotonic ?? performance));
  app.use('/v1/namespaces/:ns/*', allowedNamespace(deps), enabledNamespace(deps.cluster));
  const listing = boundedLists();
  for (const kind of ['functions', 'triggers', 'jobs']) app.get(`/v1/namespaces/:ns/${kind}`, listing);
  registerOperations(app, deps, options);
  const document = openApiText(app, options.version);
  app.get('/v1/openapi.json', (c) => c.body(document, 200, { 'content-type': 'application/json' }));
  app.notFound(unknownRoute(app));
  app.onError(answerError);
  return app;
}

/** Everything that the OpenAPI document holds. */
export function registerOperations(app: ApiApp, deps: ApiDeps, options: ApiOptions): void {
  registerEnsure(app, deps);
  registerListFunctions(app, deps);
  registerCreateFunction(app, deps, options);
  registerGetFunction(app, deps);
  registerPatchFunction(app, deps, options);
  registerDeleteFunction(app, deps, options);
  registerUpload(app, deps, options);
  registerReadSource(app, deps, options);
  registerListVersions(app, deps);
  registerRollback(app, deps, options);
  registerRenewals(app, deps);
  registerPower(app, deps);
  registerTriggers(app, deps);
  registerInvocations(app, deps);
  registerLogs(app, deps, options);
  registerJobs(app, deps, options);
  registerPublishEvent(app, deps);
}

/** JSON is never a page, and never anyone else's. */
const HEADERS: NonNullable<Parameters<typeof secureHeaders>[0]> = {
  contentSecurityPolicy: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
  crossOriginResourcePolicy: 'same-origin',
  referrerPolicy: 'no-referrer',
  xFrameOptions: 'DENY',
};

async function noStore(c: Context<ApiEnv>, next: () => Promise<void>): Promise<void> {
  await next();
  c.res.headers.set('cache-control', 'no-store');
}

function answerError(error: Error, c: Context<ApiEnv>): Response {
  const answer = toErrorAnswer(fromHono(error));
  // 501 is about the installation, and no fault of it.
  if (answer.status >= 500 && answer.status !== 501)
    c.get('logger').error({ err: error, code: answer.body.code }, 'a request failed');
  const authenticate =
    answer.status === 401
      ? { 'www-authenticate': challenge(c.req.header('authorization'), answer.body.error) }
      : {};
  const coded = answer.status === 415 && c.req.header('content-encoding') !== undefined;
  const accepted = coded ? { 'accept-encoding': ACCEPTED_CODING } : {};
  // The table of errors holds statuses with bodies alone.
  return c.json(answer.body, answer.status as 400, { ...answer.headers, ...authenticate, ...accepted });
}

/** What Hono's own middleware throws is about the request. */
function fromHono(error: Error): Error {
  if (!(error instanceof HTTPException)) return error;
  const code = error.status === 415 ? 'UnsupportedMediaType' : 'InvalidRequest';
  return error.status < 500 ? new SlessError(code, error.message, { cause: error }) : error;
}
