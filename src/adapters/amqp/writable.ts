import type { MessagePropertyHeaders, Options } from 'amqplib';

/**
 * What the library reads it cannot always write again: its decoder takes any bytes for a text, any number for a JavaScript one, and a table
 * with the key `!` is to its encoder a type of its own. A copy goes without such a header or property, and says so.
 */
type Headers = MessagePropertyHeaders;

/** Lengths of names and of short texts are one byte. */
const MAX_SHORT = 255;
/** Deeper than anybody means it; the encoder, the decoder and JSON go down by recursion. */
export const MAX_DEPTH = 64;
/** Whole numbers from here on may be none of 64 bits. As the library has it, those below are written exactly. */
const UNSURE = 2 ** 50;
const TIMESTAMP_END = 2 ** 64;

interface Writable<T> {
  readonly written: T;
  /** Names of what cannot be written. */
  readonly leftOut: readonly string[];
}

const UNWRITABLE = Symbol('cannot be written');

export function writableHeaders(headers: Headers): Writable<Headers> {
  const leftOut: string[] = [];
  const kept: [string, unknown][] = [];
  for (const [name, value] of Object.entries(headers)) {
    const written = isShort(name) ? writable(value, 0) : UNWRITABLE;
    if (written === UNWRITABLE) leftOut.push(name);
    else kept.push([name, written]);
  }
  return { written: Object.fromEntries(kept), leftOut };
}

/** Properties that are short texts, and the time, which must be one of 64 bits. */
export function writableProperties(properties: Options.Publish): Writable<Options.Publish> {
  const entries = Object.entries(properties);
  const isWritable = ([, value]: [string, unknown]): boolean =>
    typeof value === 'string' ? isShort(value) : typeof value !== 'number' || isTime(value);
  return {
    written: Object.fromEntries(entries.filter(isWritable)),
    leftOut: entries.filter((entry) => !isWritable(entry)).map(([name]) => name),
  };
}

/** By what it is: a table with the key `__proto__` has what lies there for its prototype, and only looks like bytes. */
export const isBytes = (value: object): value is Uint8Array => ArrayBuffer.isView(value);

const isShort = (text: string): boolean => Buffer.byteLength(text) <= MAX_SHORT;
const isTime = (value: unknown): boolean =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0 && value < TIMESTAMP_END;

function writable(value: unknown, depth: number): unknown {
  if (depth > MAX_DEPTH) return UNWRITABLE;
  if (typeof value === 'number')
    return Number.isFinite(value) && Math.abs(value) < UNSURE ? value : { '!': 'double', value };
  if (typeof value !== 'object' || value === null || isBytes(value)) return value;
  if (Array.isArray(value)) {
    const members = value.map((member) => writable(member, depth + 1));
    return members.includes(UNWRITABLE) ? UNWRITABLE : members;
  }
  if (Object.hasOwn(value, '!')) return marked(value);
  const members = Object.entries(value).map(([name, member]): [string, unknown] => [
    name,
    isShort(name) ? writable(member, depth + 1) : UNWRITABLE,
  ]);
  return members.some(([, member]) => member === UNWRITABLE) ? UNWRITABLE : Object.fromEntries(members);
}

/** As the decoder marks the two types that JavaScript has not. */
function marked(marker: object): unknown {
  const { '!': type, value, ...more } = marker as { '!'?: unknown; value?: unknown };
  if (Object.keys(more).length > 0) return UNWRITABLE;
  if (type === 'timestamp' && isTime(value)) return { '!': type, value };
  if (type !== 'decimal' || typeof value !== 'object' || value === null) return UNWRITABLE;
  const { places, digits } = value as { places?: unknown; digits?: unknown };
  const isDecimal = isWithin(places, 2 ** 8) && isWithin(digits, 2 ** 32);
  return isDecimal ? { '!': type, value: { places, digits } } : UNWRITABLE;
}

const isWithin = (value: unknown, end: number): boolean =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0 && value < end;
