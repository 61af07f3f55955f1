import type { ConsumeMessage, MessagePropertyHeaders, Options } from 'amqplib';
import type { HeaderValue, MessageProperties } from '../../ports/message-bus.ts';

/** The queues that the dispatcher makes for a Trigger. */
export const queueNames = (owner: string) => ({
  retry: `sless.retry.${owner}`,
  delay: (milliseconds: number) => `sless.delay.${owner}.${milliseconds}`,
});

const OURS = 'x-sless-';
const ATTEMPTS = 'x-sless-attempts';
/** On a copy: what a copy cannot say in its own properties, as JSON. */
const ORIGIN = 'x-sless-origin';
/** Recipients beside the routing key: a copy that kept them would be routed to them once more. */
const CARBON_COPIES = ['CC', 'BCC'] as const;
const DEATHS = /^x-(?:first|last)-death-/;

type Headers = MessagePropertyHeaders;

/** What of a message does not survive a copy: the broker checks, obeys or overwrites it. */
interface Origin {
  readonly exchange: string;
  readonly routingKey: string;
  readonly deliveryMode?: number;
  readonly expiration?: string;
  readonly userId?: string;
  readonly copies?: Headers;
}

/** A message as it first came, with the tries that were counted since. */
export interface ReadMessage {
  readonly attempts: number;
  readonly properties: MessageProperties;
  readonly origin: Origin;
  /** Its own headers, as the library types them, to be written into copies. */
  readonly headers: Headers;
}

/** Reads a delivery. Only what lies in our own retry queue is believed about earlier tries. */
export function readMessage(message: ConsumeMessage, owner: string, isRetry: boolean): ReadMessage {
  const all = message.properties.headers ?? {};
  const origin = (isRetry ? storedOrigin(all) : undefined) ?? originOf(message, all);
  const headers = isRetry ? ownHeaders(all, owner) : without(all, CARBON_COPIES);
  const attempts = isRetry ? Number(all[ATTEMPTS]) : 0;
  return {
    attempts: Number.isSafeInteger(attempts) && attempts > 0 ? attempts : 0,
    properties: propertiesOf(message, origin, headers),
    origin,
    headers,
  };
}

function originOf({ fields, properties }: ConsumeMessage, all: Headers): Origin {
  const copies = Object.fromEntries(
    CARBON_COPIES.flatMap((name) => (name in all ? [[name, all[name]]] : [])),
  );
  return {
    exchange: fields.exchange,
    routingKey: fields.routingKey,
    ...present({
      deliveryMode: properties.deliveryMode,
      expiration: properties.expiration,
      userId: properties.userId,
    }),
    ...(Object.keys(copies).length === 0 ? {} : { copies }),
  };
}

function storedOrigin(all: Headers): Origin | undefined {
  try {
    const value: unknown = JSON.parse(String(all[ORIGIN]));
    const isOrigin =
      typeof value === 'object' && value !== null && 'exchange' in value && 'routingKey' in value;
    // Written by `copyOptions`, into a queue that nobody else writes to; what is in it only informs.
    return isOrigin ? (value as Origin) : undefined;
  } catch {
    return undefined;
  }
}

/** Without what was added on the way through a delay queue. */
function ownHeaders(all: Headers, owner: string): Headers {
  const isDelay = (queue: unknown): boolean => String(queue).startsWith(`sless.delay.${owner}.`);
  const deaths = (all['x-death'] ?? []).filter(({ queue }) => !isDelay(queue));
  const kept = Object.entries(all).filter(
    ([name]) => name !== 'x-death' && !name.startsWith(OURS) && !(deaths.length === 0 && DEATHS.test(name)),
  );
  return { ...Object.fromEntries(kept), ...(deaths.length === 0 ? {} : { 'x-death': deaths }) };
}

function without(all: Headers, names: readonly string[]): Headers {
  if (!names.some((name) => name in all)) return all;
  return Object.fromEntries(Object.entries(all).filter(([name]) => !names.includes(name)));
}

function propertiesOf(
  { fields, properties }: ConsumeMessage,
  origin: Origin,
  headers: Headers,
): MessageProperties {
  const { copies, ...rest } = origin;
  return {
    ...rest,
    redelivered: fields.redelivered,
    headers: mapped({ ...headers, ...copies }),
    ...present({
      contentType: properties.contentType,
      contentEncoding: properties.contentEncoding,
      priority: properties.priority,
      correlationId: properties.correlationId,
      replyTo: properties.replyTo,
      messageId: properties.messageId,
      timestamp: properties.timestamp,
      type: properties.type,
      appId: properties.appId,
    }),
  };
}

function present<T extends object>(values: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  // Sound: what is left is exactly the members that are defined.
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as never;
}

function mapped(table: object): Record<string, HeaderValue> {
  return Object.fromEntries(Object.entries(table).map(([name, value]) => [name, headerValue(value)]));
}

/** The library marks types that JavaScript has not as `{'!': type, value}`. */
function headerValue(value: unknown): HeaderValue {
  if (typeof value === 'bigint') return String(value);
  if (value === undefined || value === null) return null;
  if (typeof value !== 'object') return value as string | number | boolean;
  if (Buffer.isBuffer(value)) return { base64: value.toString('base64') };
  if (Array.isArray(value)) return value.map(headerValue);
  if ('!' in value && 'value' in value) return headerValue(value.value);
  return mapped(value);
}

/** The library encodes headers into 64 KiB; some of it is for its own. */
const MAX_HEADERS = 60 * 1024;

/**
 * How a copy is published. It keeps the sender's properties but for those that the broker would check (user-id), obey (expiration, CC) or
 * that would lose it (transience): those it carries in a header, for the next reader.
 */
export function copyOptions(
  raw: ConsumeMessage,
  { headers, origin }: ReadMessage,
  added: Readonly<Record<string, string | number>>,
): Options.Publish {
  const { properties } = raw;
  const ours = { ...added, [ORIGIN]: JSON.stringify(origin) };
  return {
    mandatory: true,
    persistent: true,
    headers: fitting(headers, ours),
    ...present({
      contentType: properties.contentType,
      contentEncoding: properties.contentEncoding,
      priority: properties.priority,
      correlationId: properties.correlationId,
      replyTo: properties.replyTo,
      messageId: properties.messageId,
      timestamp: properties.timestamp,
      type: properties.type,
      appId: properties.appId,
    }),
  };
}

/** The headers of a copy that is tried again. */
export const retryHeaders = (attempts: number): Record<string, number> => ({ [ATTEMPTS]: attempts });

/** Leaves out the largest of the sender's headers until the rest can be written, and says which. */
function fitting(headers: Headers, ours: Headers): Headers {
  const sizes = Object.entries(headers).map(([name, value]) => ({ name, size: name.length + sizeOf(value) }));
  let total = sizes.reduce((sum, { size }) => sum + size, sizeOf(ours));
  if (total <= MAX_HEADERS) return { ...headers, ...ours };
  const leftOut: string[] = [];
  for (const { name, size } of sizes.sort((a, b) => b.size - a.size)) {
    if (total <= MAX_HEADERS - 1024) break;
    leftOut.push(name);
    total -= size;
  }
  return { ...without(headers, leftOut), ...ours, 'x-sless-left-out': leftOut.join(' ').slice(0, 512) };
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
