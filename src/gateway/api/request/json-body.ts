import { isUtf8 } from 'node:buffer';
import type { Context, MiddlewareHandler } from 'hono';
import { SlessError } from '../../../errors.ts';
import type { ApiEnv } from '../deps.ts';
import { requirePlain } from './content-coding.ts';
import { readBytes } from './raw-body.ts';
import { repeatedKeys } from './repeated-keys.ts';

/** The largest good body is a payload of 65,536 characters, each escaped as a pair of surrogates: 768 KiB. */
const MAX_BODY_BYTES = 1_048_576;

const JSON_TYPE = /^application\/(?:json|merge-patch\+json) *(?:;|$)/i;

/** Lets JSON through to the schema. */
export const jsonBody: MiddlewareHandler<ApiEnv> = async (c, next) => {
  if (!JSON_TYPE.test(c.req.header('content-type') ?? ''))
    throw new SlessError(
      'UnsupportedMediaType',
      'send JSON with Content-Type: application/json (curl --json)',
    );
  requirePlain(c.req.header('content-encoding'));
  requireSound(await bodyText(c));
  await next();
};

/**
 * Refuses what would be changed without a word on its way: a name that sets an object's prototype, which parsers drop, as
 * they do all but one of the fields of one name, and half a surrogate pair, which UTF-8 cannot carry.
 */
function requireSound(text: string): void {
  const mistakes = new Set<string>();
  try {
    JSON.parse(text, (key, value: unknown) => {
      if (key === '__proto__') mistakes.add('no field may be named "__proto__"');
      if (!key.isWellFormed() || (typeof value === 'string' && !value.isWellFormed()))
        mistakes.add('texts must be well-formed Unicode, without half a surrogate pair');
      return value;
    });
  } catch (cause) {
    throw new SlessError('InvalidRequest', `the body is not JSON: ${describe(text, cause)}`, { cause });
  }
  for (const key of repeatedKeys(text)) mistakes.add(`${key} is there more than once: give each field once`);
  const details = [...mistakes];
  if (details.length > 0)
    throw new SlessError('InvalidRequest', `the request is not valid: ${details.join('; ')}`, { details });
}

/**
 * The body as text. It is read from the raw request, so that one that is refused is left to the server to drain: taken
 * through a web stream it would hold up the connection until it is cut.
 */
async function bodyText(c: Context<ApiEnv>): Promise<string> {
  const { incoming } = c.env ?? {};
  if (incoming === undefined) {
    requireUtf8(await c.req.arrayBuffer());
    return c.req.text();
  }
  const bytes = await readBytes(incoming, MAX_BODY_BYTES);
  requireUtf8(bytes);
  // Where @hono/node-server looks for a body that was read already.
  Object.assign(incoming, { rawBody: bytes });
  return c.req.text();
}

/** JSON is UTF-8 (RFC 8259 §8.1). Whoever decodes puts U+FFFD in the place of anything else, without a word. */
function requireUtf8(bytes: Buffer | ArrayBuffer): void {
  if (!isUtf8(bytes))
    throw new SlessError(
      'InvalidRequest',
      'the body is not UTF-8: send JSON as UTF-8, and bytes as base64 in it',
    );
}

/** V8 quotes the text around a mistake; a body may hold secrets. */
function describe(text: string, cause: unknown): string {
  if (text.trim() === '') return 'it is empty';
  const message = cause instanceof Error ? cause.message : '';
  if (message.startsWith('Unexpected end')) return 'it ends too early';
  return /at position \d+( \(line \d+ column \d+\))?/.exec(message)?.[0] ?? 'it is malformed';
}
