import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { connect as connectTcp } from 'node:net';
import { promisify } from 'node:util';
import { type Channel, type ChannelModel, connect } from 'amqplib';

const run = promisify(execFile);

/** Where the broker of the tests listens. */
export const BROKER = { host: '127.0.0.1', port: 5672 } as const;

/** A broker that a test can steer. */
export interface BrokerNode {
  readonly place: { readonly host: string; readonly port: number };
  /** What `rabbitmqctl` says to these words. */
  ctl(...words: readonly string[]): Promise<string>;
}

/** A message that was taken out. */
export interface Drained {
  readonly body: string;
  readonly headers: Readonly<Record<string, unknown>>;
}

/** A virtual host of a test's own, and a connection to look into it with. */
export interface Broker {
  readonly vhost: string;
  readonly place: BrokerNode['place'];
  /** Reached at another place, such as a relay; as another user. */
  url(place?: { readonly host: string; readonly port: number }, login?: string): string;
  readonly model: ChannelModel;
  readonly channel: Channel;
  /** A message with the properties that these flags and bytes say, as they go over the wire. */
  publishRaw(queue: string, flags: number, properties: Buffer): Promise<void>;
  /** A message whose one header `big` is so long: longer than the library can say. */
  publishBigHeader(queue: string, length: number): Promise<void>;
  /** Takes all messages out of a queue; none out of one that is not there. */
  drain(queue: string): Promise<Drained[]>;
  rabbitmqctl(...words: readonly string[]): Promise<string>;
  close(): Promise<void>;
}

const ctl = async (...words: readonly string[]): Promise<string> =>
  (await run('rabbitmqctl', ['-q', ...words])).stdout;

const SHARED: BrokerNode = { place: BROKER, ctl };

async function listens(): Promise<boolean> {
  const socket = connectTcp(BROKER);
  return new Promise((resolve) => {
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
  }).finally(() => socket.destroy()) as Promise<boolean>;
}

/** Why there is no broker to test with; `undefined` when there is one. Said aloud, so that nobody takes it for a success. */
export const withoutBroker: string | undefined = await (async () => {
  const why = !(await listens())
    ? `nothing listens on ${BROKER.host}:${BROKER.port}`
    : await ctl('list_vhosts').then(
        () => undefined,
        () => 'rabbitmqctl cannot be used',
      );
  if (why !== undefined) console.warn(`SKIPPED, NO RABBITMQ: ${why}`);
  return why;
})();

/** A fresh virtual host, which `close` deletes with everything in it; of the broker that all tests share, where no other is named. */
export async function openBroker({ place: at, ctl }: BrokerNode = SHARED): Promise<Broker> {
  const vhost = `sless-test-${randomBytes(6).toString('hex')}`;
  await ctl('add_vhost', vhost);
  await ctl('set_permissions', '-p', vhost, 'guest', '.*', '.*', '.*');
  const url: Broker['url'] = (place = at, login = 'guest:guest') =>
    `amqp://${login}@${place.host}:${place.port}/${vhost}`;
  // A test asks for one message after the other: with Nagle each would take 40 ms.
  const model = await connect(url(), { noDelay: true });
  model.on('error', () => {});
  const channel = await model.createChannel();
  channel.on('error', () => {});
  return {
    vhost,
    place: at,
    url,
    model,
    channel,
    publishRaw: (queue, flags, properties) => publishRaw(url(), queue, { flags, properties }),
    publishBigHeader: (queue, length) =>
      publishRaw(url(), queue, {
        flags: HEADERS,
        properties: long(Buffer.concat([short('big'), Buffer.from('S'), long(Buffer.alloc(length, 'x'))])),
      }),
    drain: (queue) => drain(model, queue),
    rabbitmqctl: ctl,
    async close() {
      await model.close().catch(() => {});
      await ctl('delete_vhost', vhost);
    },
  };
}

async function drain(model: ChannelModel, queue: string): Promise<Drained[]> {
  const channel = await model.createChannel();
  channel.on('error', () => {});
  const found: Drained[] = [];
  const there = await channel.checkQueue(queue).catch(() => undefined);
  if (there === undefined) return found;
  for (let message = await channel.get(queue); message; message = await channel.get(queue)) {
    channel.ack(message);
    found.push({ body: message.content.toString(), headers: message.properties.headers ?? {} });
  }
  await channel.close();
  return found;
}

/** What of the library's channel is used to write frames of our own. */
interface RawChannel {
  readonly ch: number;
  readonly connection: { readonly stream: { write(bytes: Buffer): void } };
}

/** The flag of the property `headers`. */
export const HEADERS = 0x2000;
/** A text with its length in one byte, and bytes with theirs in four. */
export const short = (text: string | Buffer): Buffer =>
  Buffer.concat([Buffer.from([text.length]), Buffer.from(text)]);
export const long = (bytes: Buffer): Buffer => Buffer.concat([uint32(bytes.length), bytes]);

interface Raw {
  readonly flags: number;
  readonly properties: Buffer;
}

/** Writes the three frames of a publish by hand (AMQP 0-9-1, 4.2.3 to 4.2.6). */
async function publishRaw(url: string, queue: string, { flags, properties }: Raw): Promise<void> {
  const model = await connect(url);
  model.on('error', () => {});
  const channel = await model.createConfirmChannel();
  const { ch, connection } = channel as unknown as RawChannel; // not in the library's types
  const publish = Buffer.concat([
    Buffer.from([0, 60, 0, 40, 0, 0]),
    short(''),
    short(queue),
    Buffer.from([0]),
  ]);
  const header = Buffer.concat([
    Buffer.from([0, 60, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4]),
    Buffer.from([flags >> 8, flags & 0xff]),
    properties,
  ]);
  const confirmed = new Promise<void>((resolve, reject) => {
    channel.once('ack', () => resolve()).once('error', reject);
    model.once('error', reject);
  });
  for (const [type, payload] of [
    [1, publish],
    [2, header],
    [3, Buffer.from('body')],
  ] as const)
    connection.stream.write(
      Buffer.concat([Buffer.from([type, 0, ch]), uint32(payload.length), payload, Buffer.from([0xce])]),
    );
  await confirmed.finally(() => model.close().catch(() => {}));
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}
