import { ORIGIN_WIDE } from './origin-wide.ts';

/** What a header field means to a proxy. Everything that is not named here is passed on as it came. */
export const FIELD = {
  keep: 0,
  /** Belongs to one connection alone (RFC 9110 §7.6.1, RFC 2616 §13.5.1). */
  hopByHop: 1,
  connection: 2,
  keepAlive: 3,
  contentLength: 4,
  transferEncoding: 5,
  host: 6,
  expect: 7,
  requestId: 8,
  /** `X-Sless-*`: only the platform itself says these. */
  platform: 9,
  /** `X-Forwarded-*`, `Forwarded`, `X-Real-IP`: only proxies say these. */
  forwarded: 10,
  traceparent: 11,
  tracestate: 12,
  contentType: 13,
  /** Not a token (RFC 9110 §5.6.2). */
  invalid: 14,
  /** Holds one value and no list (RFC 9110 §5.3), and readers differ on which of two they take. */
  singleton: 15,
  /** `Date`: a singleton that many servers add to their author's own. Of two the first one counts. */
  date: 16,
  /** Would bind the whole origin, not only what answers: `origin-wide.ts`. */
  originWide: 17,
  /** Binds a host, and with it whatever else is served there. */
  setCookie: 18,
} as const;

export type FieldKind = (typeof FIELD)[keyof typeof FIELD];

/** A field's name in lower case, and what it means. */
export interface FieldName {
  readonly kind: FieldKind;
  readonly lower: string;
}

const KINDS = new Map<string, FieldKind>([
  ['connection', FIELD.connection],
  ['proxy-connection', FIELD.hopByHop],
  ['keep-alive', FIELD.keepAlive],
  ['proxy-authenticate', FIELD.hopByHop],
  ['proxy-authorization', FIELD.hopByHop],
  ['proxy-authentication-info', FIELD.hopByHop],
  ['te', FIELD.hopByHop],
  ['trailer', FIELD.hopByHop],
  ['trailers', FIELD.hopByHop],
  ['upgrade', FIELD.hopByHop],
  ['content-length', FIELD.contentLength],
  ['transfer-encoding', FIELD.transferEncoding],
  ['content-type', FIELD.contentType],
  ['host', FIELD.host],
  ['expect', FIELD.expect],
  ['x-request-id', FIELD.requestId],
  ['x-real-ip', FIELD.forwarded],
  ['forwarded', FIELD.forwarded],
  ['set-cookie', FIELD.setCookie],
  ['traceparent', FIELD.traceparent],
  ['tracestate', FIELD.tracestate],
  ['date', FIELD.date],
  ...[
    ...['location', 'content-location', 'content-range', 'content-disposition', 'etag', 'last-modified'],
    ...['expires', 'age', 'retry-after', 'access-control-allow-origin', 'access-control-allow-credentials'],
  ].map((name): [string, FieldKind] => [name, FIELD.singleton]),
  ...Object.keys(ORIGIN_WIDE).map((name): [string, FieldKind] => [name, FIELD.originWide]),
]);

/** Whether a field is passed on as it came, in whichever direction nothing else is known about it. */
export function isEndToEnd(kind: FieldKind): boolean {
  return (
    kind === FIELD.keep ||
    kind === FIELD.contentType ||
    kind === FIELD.singleton ||
    kind === FIELD.date ||
    kind === FIELD.originWide ||
    kind === FIELD.setCookie
  );
}

const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

function classify(name: string): FieldName {
  const lower = name.toLowerCase();
  if (!TOKEN.test(name)) return { kind: FIELD.invalid, lower };
  // Python and PHP frameworks read `X_Sless_Trigger` as `X-Sless-Trigger`: what one may not say, the other may not either.
  const dashed = lower.replaceAll('_', '-');
  if (dashed.startsWith('x-sless-')) return { kind: FIELD.platform, lower };
  if (dashed.startsWith('x-forwarded-')) return { kind: FIELD.forwarded, lower };
  const kind = KINDS.get(lower);
  if (kind !== undefined) return { kind, lower };
  const spoofed = KINDS.get(dashed);
  const spoofs = spoofed === FIELD.forwarded || spoofed === FIELD.requestId;
  return { kind: spoofs ? FIELD.forwarded : FIELD.keep, lower };
}

/** Strangers choose the names, so what is remembered has a bound: real traffic needs a few dozen. */
const MAX_KNOWN = 1024;
const MAX_KNOWN_LENGTH = 64;
const known = new Map<string, FieldName>();

/** What the field of that name, in whatever case, means. */
export function fieldName(name: string): FieldName {
  const found = known.get(name);
  if (found !== undefined) return found;
  const made = classify(name);
  if (known.size < MAX_KNOWN && name.length <= MAX_KNOWN_LENGTH) known.set(name, made);
  return made;
}

/** The fields that a `Connection` value names, in lower case; `undefined` where it names none but the usual options. */
export function namedByConnection(value: string | undefined): ReadonlySet<string> | undefined {
  if (value === undefined || value === '' || value === 'keep-alive' || value === 'close') return undefined;
  const names = value
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && name !== 'keep-alive' && name !== 'close' && name !== 'upgrade');
  return names.length === 0 ? undefined : new Set(names);
}
