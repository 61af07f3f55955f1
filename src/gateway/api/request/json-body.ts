import type { MiddlewareHandler } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { SlessError } from '../../../errors.ts';
import type { ApiEnv } from '../deps.ts';

/** Everything but a function: 96 KiB of event JSON, escaped, are 576 KiB. */
export const MAX_BODY_BYTES = 1_048_576;
/** 128 variables of 32 KiB are 4 MiB; twice that leaves room for escapes. The API server stores less, and says so. */
export const MAX_FUNCTION_BODY_BYTES = 8_388_608;

const JSON_TYPE = /^application\/(?:json|merge-patch\+json) *(?:;|$)/i;

/**
 * Lets JSON of at most `limit` bytes through to the schema. Names that would change a JavaScript object's prototype
 * are refused here, since parsers drop them without a word.
 */
export function jsonBody(limit: number): MiddlewareHandler<ApiEnv>[] {
  const limited = bodyLimit({
    maxSize: limit,
    onError: () => {
      throw new SlessError('PayloadTooLarge', `the body must be at most ${limit} bytes`);
    },
  });
  return [requireJson, limited, parseBody];
}

const requireJson: MiddlewareHandler<ApiEnv> = async (c, next) => {
  if (!JSON_TYPE.test(c.req.header('content-type') ?? ''))
    throw new SlessError(
      'UnsupportedMediaType',
      'send JSON with Content-Type: application/json (curl --json)',
    );
  await next();
};

const parseBody: MiddlewareHandler<ApiEnv> = async (c, next) => {
  const text = await c.req.text();
  let hidden = false;
  try {
    JSON.parse(text, (key, value: unknown) => {
      hidden ||= key === '__proto__';
      return value;
    });
  } catch (cause) {
    throw new SlessError('InvalidRequest', `the body is not JSON: ${describe(cause)}`, { cause });
  }
  if (hidden) throw new SlessError('InvalidRequest', 'no field may be named "__proto__"');
  await next();
};

/** V8 quotes the text around a mistake; a body may hold secrets. */
function describe(cause: unknown): string {
  const message = cause instanceof Error ? cause.message : '';
  const position = /at position \d+( \(line \d+ column \d+\))?/.exec(message)?.[0];
  return position ?? 'it ends too early or is empty';
}
