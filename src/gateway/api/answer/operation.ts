import { createRoute, type RouteConfig } from '@hono/zod-openapi';
import { ERRORS } from '../../../errors.ts';
import { errorBody } from './error-body.ts';
import { type AnswerCode, exampleRefs } from './error-examples.ts';

/** What any operation of `/v1` may answer with, whatever it does. */
const ALWAYS: readonly AnswerCode[] = [
  'Unauthenticated',
  'Forbidden',
  'NamespaceNotEnabled',
  'TooManyRequests',
  'Internal',
  'Unavailable',
];

const header = (name: string) => ({ $ref: `#/components/headers/${name}` });

/** The headers that are part of an answer, `components.headers` of the document. */
export const ANSWER_HEADERS = {
  'X-Request-Id': {
    description: 'The id of this request, by which the logs of the installation know it.',
    schema: { type: 'string' as const },
    example: '6f1c3b0e-6a0c-4c52-9a55-0f2f5c1f7f0a',
  },
  'Retry-After': {
    description: 'Seconds after which another try makes sense.',
    schema: { type: 'integer' as const },
    example: 5,
  },
  'WWW-Authenticate': {
    description: 'What is wanted of a token, and what is wrong with the one that was shown (RFC 6750).',
    schema: { type: 'string' as const },
    example: 'Bearer realm="sless", error="invalid_token", error_description="the token has expired"',
  },
  'Accept-Encoding': {
    description: 'The codings of bodies that are taken, where a body came in another one.',
    schema: { type: 'string' as const },
    example: 'identity',
  },
};

/** What else comes with a status. Of 409, `Conflict` may. */
const BY_STATUS: Readonly<Record<string, keyof typeof ANSWER_HEADERS>> = {
  401: 'WWW-Authenticate',
  409: 'Retry-After',
  415: 'Accept-Encoding',
  429: 'Retry-After',
  503: 'Retry-After',
};

type Config = Omit<RouteConfig, 'path'> & { readonly path: `/${string}` };

/**
 * A route with every error that it can answer. Its type knows the good answers alone: handlers throw SlessErrors, and
 * one place makes answers of them.
 */
export function operation<const C extends Config>(codes: readonly AnswerCode[], config: C) {
  const route = createRoute({ security: [{ bearer: [] }], ...config });
  for (const response of Object.values(route.responses))
    if ('description' in response) Object.assign(response, { headers: headersOf('') });
  Object.assign(route.responses, failures([...ALWAYS, ...codes]), {
    default: { $ref: '#/components/responses/Refused' },
  });
  return route;
}

/** Responses by status, each naming its codes. */
function failures(codes: readonly AnswerCode[]): RouteConfig['responses'] {
  const byStatus = Object.groupBy([...new Set(codes)], (code) => ERRORS[code].http);
  return Object.fromEntries(
    Object.entries(byStatus).map(([status, group = []]) => [
      status,
      {
        description: group.join(', '),
        headers: headersOf(status),
        content: { 'application/json': { schema: errorBody, examples: exampleRefs(group) } },
      },
    ]),
  );
}

function headersOf(status: string): Record<string, { $ref: string }> {
  const more = BY_STATUS[status];
  return {
    'X-Request-Id': header('X-Request-Id'),
    ...(more === undefined ? {} : { [more]: header(more) }),
  };
}

/** A good answer in JSON; `example` where its schema has no name, and with it no example of its own. */
export function json<S>(description: string, schema: S, example?: unknown) {
  const content = { schema, ...(example === undefined ? {} : { example }) };
  return { description, content: { 'application/json': content } };
}
