import { FIELD, type FieldKind, fieldName, namedByConnection } from '../../../upstream/field-names.ts';
import type { ResponseHead } from '../../../upstream/response-head.ts';

/** How an answer is passed on. */
export interface AnswerContext {
  readonly requestId: string;
  /** Whether functions share their host with api and console. */
  readonly sharedHost: boolean;
  /** Whether the caller's connection ends with this answer. */
  readonly close: boolean;
}

/**
 * Types that no browser runs as a document: everything else could be a page of a stranger on our own host. Unknown
 * and malformed types are sniffed, so they are not inert.
 */
const INERT =
  /^(?:application\/(?:json|octet-stream|javascript|x-ndjson|grpc|zip|gzip|x-www-form-urlencoded|pdf|[a-z0-9.-]+\+json)|text\/(?:plain|css|csv|javascript|event-stream|markdown)|image\/(?:png|jpeg|gif|webp|avif)|audio\/[a-z0-9.-]+|video\/[a-z0-9.-]+|font\/[a-z0-9.-]+)[\t ]*(?:;|$)/i;

/** The console's own cookies (`gateway/console/session/cookie.ts`): with one of them a function could sign its caller in as somebody else. */
const CONSOLE_COOKIE = /^\s*(?:__Secure-)?sless-/i;

const isConsoleCookie = (kind: FieldKind, value: string): boolean =>
  kind === FIELD.setCookie && CONSOLE_COOKIE.test(value);

const isDropped = (kind: FieldKind, sharedHost: boolean): boolean =>
  (kind === FIELD.originWide && sharedHost) ||
  kind === FIELD.hopByHop ||
  kind === FIELD.connection ||
  kind === FIELD.keepAlive ||
  kind === FIELD.transferEncoding ||
  kind === FIELD.requestId ||
  kind === FIELD.platform;

/**
 * Names and values in turn, in the function's order: hop-by-hop fields, framing that does not apply, `X-Sless-*` and what
 * would bind a shared origin dropped, the request id set.
 */
export function responseFields(head: ResponseHead, context: AnswerContext): string[] {
  const { fields } = head;
  const named = namedByConnection(head.connection);
  const out: string[] = [];
  let inert = false;
  let lengthSaid = head.status === 204;
  for (let i = 0; i < fields.length; i += 2) {
    const name = fields[i] as string;
    const value = fields[i + 1] as string;
    const { kind, lower } = fieldName(name);
    if (isDropped(kind, context.sharedHost) || named?.has(lower)) continue;
    if (context.sharedHost && isConsoleCookie(kind, value)) continue;
    if (kind === FIELD.contentType) inert = INERT.test(value);
    else if (kind === FIELD.contentLength) {
      if (lengthSaid) continue;
      lengthSaid = true;
    }
    out.push(name, value);
  }
  if (context.sharedHost && !inert) out.push('Content-Security-Policy', 'sandbox');
  out.push('X-Request-Id', context.requestId);
  if (context.close) out.push('Connection', 'close');
  return out;
}

/** The fields of an interim answer such as 103, and of 101. */
export function informationFields(head: ResponseHead, sharedHost: boolean): string {
  const named = namedByConnection(head.connection);
  let lines = '';
  for (let i = 0; i < head.fields.length; i += 2) {
    const name = head.fields[i] as string;
    const { kind, lower } = fieldName(name);
    if (isDropped(kind, sharedHost) || kind === FIELD.contentLength || named?.has(lower)) continue;
    const value = head.fields[i + 1] as string;
    // Browsers take cookies of a 101 too.
    if (sharedHost && isConsoleCookie(kind, value)) continue;
    lines += `${name}: ${value}\r\n`;
  }
  return lines;
}
