import { z } from 'zod';
import { type ErrorCode, isSlessError, SlessError } from '../../errors.ts';

/** The part of a `v1.Status` that says what went wrong. */
const statusSchema = z.object({
  kind: z.literal('Status'),
  message: z.string().default(''),
  reason: z.string().default(''),
  code: z.int().default(0),
  details: z
    .object({
      kind: z.string().optional(),
      name: z.string().optional(),
      retryAfterSeconds: z.number().optional(),
      causes: z.array(z.object({ field: z.string().default(''), message: z.string().default('') })).nullish(),
    })
    .nullish(),
});

type Status = z.infer<typeof statusSchema>;

/** The one translation of what an API server refuses; the same for an answer and for an ERROR event of a watch. */
export interface Refusal {
  readonly status: number;
  /** The answer's body as text. */
  readonly body: string;
  /** The `Retry-After` header, in seconds. */
  readonly retryAfter?: string | undefined;
  /** What was asked, such as `PATCH /apis/apps/v1/...`; names no credentials. */
  readonly asked: string;
}

/** Longest part of a body without a `Status` that is worth repeating. */
const MAX_EXCERPT = 200;

/** A SlessError with the API server's own words, one detail a cause. */
export function refusalError({ status, body, retryAfter, asked }: Refusal): SlessError {
  const said = parseStatus(body);
  if (said === undefined) return unexplained({ status, body, retryAfter, asked });
  const code = UNREADABLE_APPLY.test(said.message) ? 'Invalid' : codeOf(said.code || status, said.reason);
  const details = (said.details?.causes ?? []).map(({ field, message }) =>
    field === '' ? message : `${field}: ${message}`,
  );
  const wait = said.details?.retryAfterSeconds ?? secondsOf(retryAfter);
  return new SlessError(code, said.message || `${asked}: ${status}`, {
    ...(details.length > 0 ? { details } : code === 'Invalid' ? { details: [said.message] } : {}),
    ...(code === 'Unavailable' && wait ? { retryAfterSeconds: wait } : {}),
  });
}

const UNKNOWN_KIND = 'the API server does not know ';

/** Whether an error is the API server's answer that a kind is not there at all, rather than one object. */
export function isUnknownKind(error: unknown): boolean {
  return isSlessError(error, 'Unavailable') && error.message.startsWith(UNKNOWN_KIND);
}

function unexplained({ status, body, retryAfter, asked }: Refusal): SlessError {
  const excerpt = body.trim().slice(0, MAX_EXCERPT);
  if (status === 404) return new SlessError('Unavailable', `${UNKNOWN_KIND}${asked}: is its CRD installed?`);
  const wait = secondsOf(retryAfter);
  return new SlessError(codeOf(status, ''), `${asked}: the API server answered ${status} ${excerpt}`.trim(), {
    ...(wait ? { retryAfterSeconds: wait } : {}),
  });
}

/** The `Status` in a text or an object; `undefined` when there is none. */
export function parseStatus(body: unknown): Status | undefined {
  try {
    return statusSchema.safeParse(typeof body === 'string' ? JSON.parse(body) : body).data;
  } catch {
    return undefined;
  }
}

const BY_STATUS: Readonly<Record<number, ErrorCode>> = {
  400: 'Invalid',
  403: 'Forbidden',
  404: 'NotFound',
  409: 'Conflict',
  410: 'Gone',
  413: 'Invalid',
  422: 'Invalid',
};

/**
 * What an API server says, with a 500, of an apply that holds a field of no such name or a value of another type. No other try would
 * end better.
 */
const UNREADABLE_APPLY = /^failed to (create typed patch object|convert new object) /;

/**
 * 401 is `Unavailable`: it concerns our credentials, which are renewed in time or repaired by who runs sless. The
 * caller's own token has nothing to do with it.
 */
function codeOf(status: number, reason: string): ErrorCode {
  if (reason === 'AlreadyExists') return 'AlreadyExists';
  if (status === 401 || status === 429 || status >= 500) return 'Unavailable';
  return BY_STATUS[status] ?? 'Internal';
}

/** API servers and the load balancers before them write seconds, never dates. */
function secondsOf(header: string | undefined): number | undefined {
  return header !== undefined && /^\d{1,6}$/.test(header) ? Number(header) : undefined;
}
