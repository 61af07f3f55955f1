import type { MessagePropertyHeaders } from 'amqplib';
import type { HeaderValue } from '../../ports/message-bus.ts';

/** On a copy: what a copy cannot say in its own properties, as JSON. */
export const ORIGIN = 'x-sless-origin';
/** On a copy: what of the sender's it goes without, by name. */
const LEFT_OUT = 'x-sless-left-out';
const MAX_LEFT_OUT = 512;
const MAX_SHOWN = 64;
/** The library encodes headers into 64 KiB; some of it is for its own. */
const MAX_HEADERS = 60 * 1024;

type Headers = MessagePropertyHeaders;

/** What of a message does not survive a copy: the broker checks, obeys or overwrites it. */
export interface Origin {
  readonly exchange: string;
  readonly routingKey: string;
  /** As the Trigger named it that took it first: it may be changed between two tries. */
  readonly queue?: string;
  readonly deliveryMode?: number;
  readonly expiration?: string;
  readonly userId?: string;
  readonly copies?: Record<string, HeaderValue>;
  /** What an earlier copy had to go without. */
  readonly leftOut?: readonly string[];
}

interface Ours {
  readonly added: Readonly<Record<string, string | number>>;
  readonly origin: Origin;
  readonly leftOut: readonly string[];
}

/** Leaves out the largest of the sender's headers until the rest can be written, and says which. */
export function fitting(headers: Headers, { added, origin, leftOut }: Ours): Headers {
  const sizes = Object.entries(headers).map(([name, value]) => ({
    name,
    size: Buffer.byteLength(name) + 1 + sizeOf(value),
  }));
  const base = sizeOf({ ...added, [ORIGIN]: JSON.stringify(origin) }) + 2 * MAX_LEFT_OUT;
  let total = sizes.reduce((sum, { size }) => sum + size, base);
  const tooBig: string[] = [];
  for (const { name, size } of sizes.sort((a, b) => b.size - a.size)) {
    if (total <= MAX_HEADERS) break;
    tooBig.push(name);
    total -= size;
  }
  const names = [...new Set([...leftOut, ...tooBig])];
  if (names.length === 0) return { ...headers, ...added, [ORIGIN]: JSON.stringify(origin) };
  const shown = names.map((name) => name.slice(0, MAX_SHOWN));
  const said = { ...origin, leftOut: shown.slice(0, MAX_LEFT_OUT / MAX_SHOWN) };
  const kept = without(headers, tooBig);
  const list = shown.join(' ').slice(0, MAX_LEFT_OUT);
  return { ...kept, ...added, [ORIGIN]: JSON.stringify(said), [LEFT_OUT]: list };
}

/** Bytes on the wire, rather too many: a type, a length, and per member of a table its name. */
function sizeOf(value: unknown): number {
  if (typeof value === 'string') return Buffer.byteLength(value) + 5;
  if (Buffer.isBuffer(value)) return value.length + 5;
  if (typeof value !== 'object' || value === null) return 9;
  const members = Array.isArray(value) ? value.entries() : Object.entries(value);
  let size = 5;
  for (const [name, member] of members) size += String(name).length * 3 + 1 + sizeOf(member);
  return size;
}

export function without(all: Headers, names: readonly string[]): Headers {
  if (!names.some((name) => name in all)) return all;
  return Object.fromEntries(Object.entries(all).filter(([name]) => !names.includes(name)));
}
