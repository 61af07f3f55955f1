/** Where a request wants to go, read from the raw request target. */
export type Target =
  /** `key` is `namespace/name` as written, `path` what the function sees: raw path and query, beginning with `/`. */
  | { readonly kind: 'function'; readonly key: string; readonly path: string }
  /** The target is malformed or tries to leave its place: 400. */
  | { readonly kind: 'bad'; readonly message: string }
  /** Nothing that could be a function: 404. */
  | { readonly kind: 'none' };

const PREFIX = '/fn/';
const NONE: Target = Object.freeze({ kind: 'none' });

/** Paths without any of these cannot be anything but plain, and most are. */
const SUSPICIOUS = /[%\\;#]|\/\.|\/_sless/;
const ENCODED_SLASH = /%2f|%5c/i;
const INVALID_ESCAPE = /%(?![0-9A-Fa-f]{2})/;
/** `.` and `..` between slashes of either kind; `..;x` is `..` to servers that know path parameters. */
const DOT_SEGMENT = /(?:^|[/\\])\.{1,2}(?:;[^/\\]*)?(?:[/\\]|$)/;
/** The runtimes' own routes, however many slashes and empty segments stand before them. */
const RESERVED = /^(?:[/\\]|;[^/\\]*[/\\])*_sless(?:[;/\\]|$)/;
/** Percent-encoding inside of percent-encoding this deep has no honest use; the bound keeps the work linear. */
const MAX_DEPTH = 5;

/** Takes `/fn/{namespace}/{name}[/path][?query]` apart. */
export function readTarget(url: string): Target {
  if (!url.startsWith(PREFIX)) return url.startsWith('/') ? NONE : notAPath();
  const mark = url.indexOf('?');
  const pathEnd = mark < 0 ? url.length : mark;
  const slash = url.indexOf('/', PREFIX.length);
  const named = slash >= 0 && slash < pathEnd;
  const next = named ? url.indexOf('/', slash + 1) : -1;
  const keyEnd = next < 0 || next > pathEnd ? pathEnd : next;
  const key = url.slice(PREFIX.length, keyEnd);
  const inner = keyEnd === pathEnd ? `/${url.slice(pathEnd)}` : url.slice(keyEnd);
  const found: Target = named ? { kind: 'function', key, path: inner } : NONE;
  const path = mark < 0 ? url : url.slice(0, pathEnd);
  if (!SUSPICIOUS.test(path)) return found;
  if (ENCODED_SLASH.test(key)) return bad('names must not contain encoded slashes');
  return judged(path, url.slice(keyEnd, pathEnd), found);
}

/** The same for a host that stands for one function: the whole target is the function's. */
export function readHostTarget(url: string, key: string): Target {
  if (!url.startsWith('/')) return notAPath();
  const mark = url.indexOf('?');
  const path = mark < 0 ? url : url.slice(0, mark);
  const found: Target = { kind: 'function', key, path: url };
  return SUSPICIOUS.test(path) ? judged(path, path, found) : found;
}

const bad = (message: string): Target => ({ kind: 'bad', message });
const notAPath = (): Target => bad('the request target must be a path that begins with "/"');

/** `found`, unless the path, however often it is decoded, leaves its place. `rest` is what follows the names. */
function judged(path: string, rest: string, found: Target): Target {
  if (path.includes('#')) return bad('the request target must not contain a fragment');
  if (path.includes('\\')) return bad('the path must not contain a backslash');
  if (INVALID_ESCAPE.test(path)) return bad('the path contains "%" without two hexadecimal digits');
  let whole = path;
  let inner = rest;
  for (let depth = 0; depth < MAX_DEPTH; depth += 1) {
    if (whole.includes('\0')) return bad('the path must not contain an encoded NUL');
    if (DOT_SEGMENT.test(whole)) return bad('the path must not contain "." or ".." segments');
    if (RESERVED.test(inner)) return NONE;
    const decoded = decodeOnce(whole);
    if (decoded === whole) return found;
    whole = decoded;
    inner = decodeOnce(inner);
  }
  return bad('the path is percent-encoded too often');
}

function decodeOnce(text: string): string {
  return text.replace(/%([0-9A-Fa-f]{2})/g, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
}
