import { SlessError } from '../errors.ts';
import { FIELD, type FieldName, fieldName } from './field-names.ts';

/** How the end of a body is found. */
export type Framing = 'none' | 'length' | 'chunked' | 'close';

/** The head of a response, checked. */
export interface ResponseHead {
  readonly status: number;
  readonly reason: string;
  /** Names and values in turn as they came: case, order and repetitions kept, framing and hop-by-hop fields too. */
  readonly fields: readonly string[];
  /** All values of `Connection`, joined. */
  readonly connection: string | undefined;
  readonly framing: Framing;
  /** Bytes of the body, as far as `Content-Length` says. Set for HEAD and 304 too. */
  readonly length: number | undefined;
  /** Whether the connection can carry another request. */
  readonly keepAlive: boolean;
  /** Seconds that an idle connection is kept, where `Keep-Alive` says so. */
  readonly keepAliveSeconds: number | undefined;
}

/** An answer that is not HTTP as RFC 9112 has it. Whoever wrote the function must look. */
export function invalidAnswer(why: string): SlessError {
  return new SlessError('UpstreamInvalid', `the function's answer is not valid HTTP: ${why}`);
}

/** The connection was gone before the answer was whole: most often since the function's process has ended. */
export function brokenOff(isBegun: boolean, cause?: Error): SlessError {
  const what = "the function's process ended, or closed the connection, before";
  return new SlessError('UpstreamInvalid', `${what} ${isBegun ? 'its answer was whole' : 'it answered'}`, {
    cause,
  });
}

/** Control characters, and line ends that are not CRLF, in what has come of a head. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
export const FORBIDDEN = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f]|\r(?!\n)|(?:[^\r]|^)\n/;
/** Control characters and line ends, within a line. The lines are looked at one by one: cheaper than the pattern above. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const FORBIDDEN_IN_LINE = /[\0-\x08\x0a-\x1f\x7f]/;
const STATUS_LINE = /^HTTP\/1\.([01]) ([1-9]\d\d)(?: (.*))?$/;
const LENGTH = /^\d{1,15}$/;
const TIMEOUT = /(?:^|[,\s])timeout=(\d{1,6})/i;

/** Reads a head without the empty line at its end. `toHead`: whether it answers HEAD. Throws `UpstreamInvalid`. */
export function parseResponseHead(text: string, toHead: boolean): ResponseHead {
  const lineEnd = text.indexOf('\r\n');
  const first = lineEnd < 0 ? text : text.slice(0, lineEnd);
  const line = STATUS_LINE.exec(first);
  if (line === null || FORBIDDEN_IN_LINE.test(first)) throw invalidAnswer('its status line is malformed');
  const status = Number(line[2]);
  const read: Collected = { fields: [] };
  if (lineEnd >= 0) collect(text, lineEnd + 2, read);
  const current = line[1] === '1';
  const framing = framingOf(status, toHead, read);
  if (read.coding !== undefined && !current) throw invalidAnswer('it has Transfer-Encoding in HTTP/1.0');
  return {
    status,
    reason: line[3] ?? '',
    fields: read.fields,
    connection: read.connection,
    framing,
    length: read.length,
    keepAlive: current && framing !== 'close' && !closes(read.connection),
    keepAliveSeconds: read.keepAlive === undefined ? undefined : timeoutOf(read.keepAlive),
  };
}

interface Collected {
  readonly fields: string[];
  connection?: string;
  keepAlive?: string;
  coding?: string;
  length?: number;
}

const joined = (before: string | undefined, value: string): string =>
  before === undefined ? value : `${before}, ${value}`;

function collect(text: string, from: number, into: Collected): void {
  let start = from;
  while (start <= text.length) {
    const found = text.indexOf('\r\n', start);
    const stop = found < 0 ? text.length : found;
    const colon = text.indexOf(':', start);
    if (colon < 0 || colon >= stop) throw invalidAnswer('a header line has no colon');
    const name = text.slice(start, colon);
    const value = trimmed(text, colon + 1, stop);
    if (FORBIDDEN_IN_LINE.test(value))
      throw invalidAnswer('a header has control characters or bare line ends');
    if (note(fieldName(name), value, into)) into.fields.push(name, value);
    start = stop + 2;
  }
}

/** Returns whether the line is one to keep. */
function note({ kind, lower }: FieldName, value: string, into: Collected): boolean {
  switch (kind) {
    case FIELD.contentType:
    case FIELD.singleton:
    case FIELD.date:
      return isFirst(kind, { lower, value }, into);
    case FIELD.invalid:
      throw invalidAnswer('a header name is not a token');
    case FIELD.connection:
      into.connection = joined(into.connection, value);
      break;
    case FIELD.keepAlive:
      into.keepAlive = value;
      break;
    case FIELD.transferEncoding:
      into.coding = joined(into.coding, value);
      break;
    case FIELD.contentLength:
      into.length = lengthOf(value, into.length);
      break;
  }
  return true;
}

/**
 * Of a field that holds one value a second line that says the same is left out. One that says something else leaves open
 * which of them counts, and readers decide in different ways (RFC 9110 §8.3 warns of just that): such an answer is none.
 */
function isFirst(kind: number, { lower, value }: { lower: string; value: string }, into: Collected): boolean {
  const { fields } = into;
  for (let i = 0; i < fields.length; i += 2) {
    if (fieldName(fields[i] as string).lower !== lower) continue;
    if (kind !== FIELD.date && fields[i + 1] !== value)
      throw invalidAnswer(`it has two different ${lower} lines`);
    return false;
  }
  return true;
}

/** Without the blanks around it (RFC 9110 §5.5), cut once: values are most of a head. */
function trimmed(text: string, from: number, to: number): string {
  let start = from;
  let stop = to;
  while (start < stop && isBlank(text.charCodeAt(start))) start += 1;
  while (stop > start && isBlank(text.charCodeAt(stop - 1))) stop -= 1;
  return text.slice(start, stop);
}

const isBlank = (code: number): boolean => code === 32 || code === 9;

function lengthOf(value: string, before: number | undefined): number {
  if (!LENGTH.test(value)) throw invalidAnswer('its Content-Length is not a number');
  const length = Number(value);
  if (before !== undefined && before !== length) throw invalidAnswer('it has two different Content-Lengths');
  return length;
}

function framingOf(status: number, toHead: boolean, { coding, length }: Collected): Framing {
  if (coding !== undefined && length !== undefined) {
    throw invalidAnswer('it has both Content-Length and Transfer-Encoding');
  }
  if (coding !== undefined && coding.toLowerCase() !== 'chunked') {
    throw invalidAnswer('its Transfer-Encoding is not "chunked"');
  }
  if (toHead || status < 200 || status === 204 || status === 304) return 'none';
  if (coding !== undefined) return 'chunked';
  return length === undefined ? 'close' : 'length';
}

const closes = (connection: string | undefined): boolean =>
  connection !== undefined && connection !== 'keep-alive' && /(?:^|[,\s])close(?:$|[,\s])/i.test(connection);

function timeoutOf(value: string): number | undefined {
  const found = TIMEOUT.exec(value)?.[1];
  return found === undefined ? undefined : Number(found);
}
