import type { ConsumeMessage, MessagePropertyHeaders, Options } from 'amqplib';
import { DEAD_LETTERINGS, type HeaderValue, type MessageProperties } from '../../ports/message-bus.ts';
import { fitting, ORIGIN, type Origin, without } from './copy-headers.ts';
import { isBytes, MAX_DEPTH, writableHeaders, writableProperties } from './writable.ts';

/** The queues that the dispatcher makes for a Trigger. */
export const queueNames = (owner: string) => ({
  retry: `sless.retry.${owner}`,
  delay: (milliseconds: number) => `sless.delay.${owner}.${milliseconds}`,
});

const OURS = 'x-sless-';
const ATTEMPTS = 'x-sless-attempts';
/** Recipients beside the routing key: a copy that kept them would be routed to them once more. */
const CARBON_COPIES: readonly string[] = ['CC', 'BCC'];
/**
 * What the broker writes when it dead-letters, and reads when it does so again: on the way out of a delay queue. There a sender's own
 * words, such as a list of no tables, end the queue's process, and after five messages the queue with everything in it.
 */
const DEATHS = /^x-(?:death$|(?:first|last)-death-)/;
/** Of the headers that travel in one of ours: the broker would obey them on a copy. */
const MAX_COPIES = 8192;
/** By a quorum queue, of itself: in a copy it would be said of another queue. */
const RETURNS = 'x-delivery-count';

type Headers = MessagePropertyHeaders;

/** A message as it first came, with the tries that were counted since. */
export interface ReadMessage {
  readonly attempts: number;
  readonly deadLetterings: number;
  /** How often its quorum queue has taken it back. */
  readonly returns: number;
  readonly properties: MessageProperties;
  readonly origin: Origin;
  /** Its own headers, as the library types them, to be written into copies. */
  readonly headers: Headers;
}

/**
 * Reads a delivery. Only what lies in our own retry queue is believed about earlier tries. How often it was a dead letter is believed wherever
 * it lies, since the queues in which it would go round are anybody's: who writes more there has its own message parked the sooner.
 */
export function readMessage(message: ConsumeMessage, isRetry: boolean): ReadMessage {
  const all = message.properties.headers ?? {};
  const origin = (isRetry ? storedOrigin(all) : undefined) ?? originOf(message, all);
  const headers = ownHeaders(all);
  return {
    attempts: isRetry ? counted(all[ATTEMPTS]) : 0,
    deadLetterings: counted(all[DEAD_LETTERINGS]),
    returns: counted(all[RETURNS]),
    properties: propertiesOf(message, origin, headers),
    origin,
    headers,
  };
}

/** Of a table JavaScript makes a number by calling what its members are named: it throws where a sender has named one `valueOf`. */
function counted(value: unknown): number {
  const count = typeof value === 'number' || typeof value === 'string' ? Number(value) : 0;
  return Number.isSafeInteger(count) && count > 0 ? count : 0;
}

function originOf({ fields, properties }: ConsumeMessage, all: Headers): Origin {
  return {
    exchange: fields.exchange,
    routingKey: fields.routingKey,
    ...present({
      deliveryMode: properties.deliveryMode,
      expiration: properties.expiration,
      userId: properties.userId,
    }),
    ...carried(mapped(Object.fromEntries(Object.entries(all).filter(([name]) => isObeyed(name))))),
  };
}

const isObeyed = (name: string): boolean => CARBON_COPIES.includes(name) || DEATHS.test(name);

/** As many of these headers as there is room for, and the names of the others. */
function carried(obeyed: Record<string, HeaderValue>): Pick<Origin, 'copies' | 'leftOut'> {
  const copies: [string, HeaderValue][] = [];
  const leftOut: string[] = [];
  let room = MAX_COPIES;
  for (const [name, value] of Object.entries(obeyed)) {
    const size = JSON.stringify({ [name]: value }).length;
    if (size > room) leftOut.push(name);
    else {
      copies.push([name, value]);
      room -= size;
    }
  }
  return {
    ...(copies.length === 0 ? {} : { copies: Object.fromEntries(copies) }),
    ...(leftOut.length === 0 ? {} : { leftOut }),
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

/**
 * Without what is ours, and what the broker obeys or adds on the way through a delay queue. What a dead letter says of its past is over
 * when somebody works it off: its tries are counted anew.
 */
function ownHeaders(all: Headers): Headers {
  return without(
    all,
    Object.keys(all).filter((name) => name.startsWith(OURS) || isObeyed(name)),
  );
}

function propertiesOf(
  { fields, properties }: ConsumeMessage,
  origin: Origin,
  headers: Headers,
): MessageProperties {
  const { copies, leftOut: _left, queue: _queue, ...rest } = origin;
  return {
    ...rest,
    redelivered: fields.redelivered,
    headers: mapped({ ...headers, ...copies }),
    ...ownProperties(properties),
  };
}

/** What a sender says of a message beside its headers, as far as it has said it. */
function ownProperties(properties: ConsumeMessage['properties']) {
  return present({
    contentType: properties.contentType,
    contentEncoding: properties.contentEncoding,
    priority: properties.priority,
    correlationId: properties.correlationId,
    replyTo: properties.replyTo,
    messageId: properties.messageId,
    timestamp: properties.timestamp,
    type: properties.type,
    appId: properties.appId,
  });
}

function present<T extends object>(values: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  // Sound: what is left is exactly the members that are defined.
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as never;
}

function mapped(table: object, depth = 0): Record<string, HeaderValue> {
  return Object.fromEntries(Object.entries(table).map(([name, value]) => [name, headerValue(value, depth)]));
}

/** The library marks types that JavaScript has not as `{'!': type, value}`. What lies too deep for anyone to look at is null. */
function headerValue(value: unknown, depth: number): HeaderValue {
  if (depth > MAX_DEPTH) return null;
  if (typeof value === 'bigint') return String(value);
  if (value === undefined || value === null) return null;
  if (typeof value !== 'object') return value as string | number | boolean;
  if (isBytes(value)) return { base64: Buffer.from(value).toString('base64') };
  if (Array.isArray(value)) return value.map((member) => headerValue(member, depth + 1));
  if (Object.hasOwn(value, '!') && 'value' in value) return headerValue(value.value, depth + 1);
  return mapped(value, depth + 1);
}

/**
 * How a copy is published. It keeps the sender's properties but for those that the broker would check (user-id), obey (expiration, CC,
 * x-death) or that would lose it (transience): those it carries in a header, for the next reader.
 */
export function copyOptions(
  raw: ConsumeMessage,
  { headers, origin }: ReadMessage,
  added: Readonly<Record<string, string | number>>,
): Options.Publish {
  const { properties } = raw;
  const own = writableHeaders(without(headers, [RETURNS]));
  const sent = writableProperties(ownProperties(properties));
  const leftOut = [...(origin.leftOut ?? []), ...own.leftOut, ...sent.leftOut];
  return {
    mandatory: true,
    persistent: true,
    headers: fitting(own.written, { added, origin, leftOut }),
    ...sent.written,
  };
}

/** A copy of the body alone, for a message of which the library can write nothing else. */
export function bareOptions(
  { origin }: ReadMessage,
  added: Readonly<Record<string, string | number>>,
): Options.Publish {
  const leftOut = ['all headers and properties'];
  const { exchange, routingKey, queue = routingKey } = origin;
  return {
    mandatory: true,
    persistent: true,
    headers: fitting({}, { added, origin: { exchange, routingKey, queue }, leftOut }),
  };
}

/** Of a message that cannot be understood: all that the broker itself says of it. */
export function unreadMessage({ fields }: ConsumeMessage): ReadMessage {
  const origin = { exchange: fields.exchange, routingKey: fields.routingKey };
  const properties = { ...origin, redelivered: fields.redelivered, headers: {} };
  return { attempts: 0, deadLetterings: 0, returns: 0, properties, origin, headers: {} };
}

/** The headers of a copy that is tried again, after so many tries. */
export const retryHeaders = ({ deadLetterings }: ReadMessage, attempts: number): Record<string, number> => ({
  [ATTEMPTS]: attempts,
  ...(deadLetterings === 0 ? {} : { [DEAD_LETTERINGS]: deadLetterings }),
});
