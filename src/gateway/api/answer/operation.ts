import { createRoute, type RouteConfig } from '@hono/zod-openapi';
import { ERRORS, type ErrorCode } from '../../../errors.ts';
import { errorBody } from './error-body.ts';

/** What any operation of `/v1` may answer with, whatever it does. */
const ALWAYS: readonly ErrorCode[] = [
  'Unauthenticated',
  'Forbidden',
  'NamespaceNotEnabled',
  'Internal',
  'Unavailable',
];

const RETRY_AFTER = {
  'Retry-After': {
    description: 'Seconds after which another try makes sense.',
    schema: { type: 'integer' as const },
  },
};

type Config = Omit<RouteConfig, 'path'> & { readonly path: `/${string}` };

/**
 * A route with every error that it can answer. Its type knows the good answers alone: handlers throw SlessErrors, and
 * one place makes answers of them.
 */
export function operation<const C extends Config>(codes: readonly ErrorCode[], config: C) {
  const route = createRoute({ security: [{ bearer: [] }], ...config });
  Object.assign(route.responses, failures([...ALWAYS, ...codes]));
  return route;
}

/** Responses by status, each naming its codes. */
function failures(codes: readonly ErrorCode[]): RouteConfig['responses'] {
  const byStatus = Object.groupBy([...new Set(codes)], (code) => ERRORS[code].http);
  return Object.fromEntries(
    Object.entries(byStatus).map(([status, group]) => [
      status,
      {
        description: (group ?? []).join(', '),
        ...(status === '429' || status === '503' ? { headers: RETRY_AFTER } : {}),
        content: { 'application/json': { schema: errorBody } },
      },
    ]),
  );
}

/** A good answer in JSON. */
export function json<S>(description: string, schema: S) {
  return { description, content: { 'application/json': { schema } } };
}
