import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { ConsumeMessage } from 'amqplib';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { copyOptions, readMessage } from '../../src/adapters/amqp/message.ts';
import { type Broker, HEADERS, long, openBroker, short, withoutBroker } from '../rabbitmq/broker.ts';
import { text } from './pod.ts';
import { openStage, type Stage, until } from './stage.ts';

/** The library's own reader and writer of properties, which its types leave out. */
interface Wire {
  decode(id: number, bytes: Buffer): ConsumeMessage['properties'];
  encodeProperties(id: number, channel: number, size: number, fields: object): Buffer;
}
const require = createRequire(import.meta.url);
const wire = require(join(dirname(require.resolve('amqplib')), 'lib/defs.js')) as Wire;
const BASIC_PROPERTIES = 60;
const FIELDS = { exchange: '', routingKey: 'q', redelivered: false };

const double = (value: number): Buffer => {
  const bytes = Buffer.alloc(9, 'd');
  bytes.writeDoubleBE(value, 1);
  return bytes;
};
const table = (...members: readonly (readonly [Buffer | string, Buffer])[]): Buffer =>
  long(Buffer.concat(members.flatMap(([name, value]) => [short(name), value])));
const tagged = (tag: string, bytes: Buffer): Buffer => Buffer.concat([Buffer.from(tag), bytes]);
const byte = Buffer.from('b\x01');
const MESSAGE_ID = 0x0080;

const WIDTH: Readonly<Record<string, number>> = { b: 1, B: 1, t: 1, s: 2, u: 2, I: 4, i: 4, f: 4, D: 5 };
/** Values as they lie on the wire: any bytes that the library reads. */
const { value } = fc.letrec<{ value: Buffer }>((tie) => {
  const fixed = (tag: string, size: number) =>
    fc.uint8Array({ minLength: size, maxLength: size }).map((bytes) => tagged(tag, Buffer.from(bytes)));
  const bytes = fc.uint8Array({ maxLength: 300 }).map((some) => long(Buffer.from(some)));
  const name = fc.oneof(
    fc.constantFrom('!', 'value', 'CC', 'x-death', '__proto__', 'a'),
    fc.uint8Array({ maxLength: 255 }).map((some) => Buffer.from(some)),
  );
  const members = fc.array(fc.tuple(name, tie('value')), { maxLength: 3 }).map((all) => table(...all));
  return {
    value: fc.oneof(
      { depthSize: 'small' },
      ...([...'bBtsuIilTdfD'] as const).map((tag) => fixed(tag, WIDTH[tag] ?? 8)),
      bytes.map((one) => tagged('S', one)),
      bytes.map((one) => tagged('x', one)),
      members.map((one) => tagged('F', one)),
      fc.array(tie('value'), { maxLength: 3 }).map((all) => tagged('A', long(Buffer.concat(all)))),
    ),
  };
});

const decoded = (flags: number, bytes: Buffer): ConsumeMessage['properties'] =>
  wire.decode(BASIC_PROPERTIES, Buffer.concat([Buffer.from([flags >> 8, flags & 0xff]), bytes]));

test('whatever the library can read of a message is written again, or named as left out', () => {
  const name = fc.uint8Array({ minLength: 1, maxLength: 255 }).map((some) => Buffer.from(some));
  const obeyed = fc.constantFrom('CC', 'BCC', 'x-death', 'x-first-death-queue', 'x-last-death-reason');
  const headers = fc
    .array(fc.tuple(fc.oneof(name, obeyed), value), { maxLength: 4 })
    .map((all) => table(...all));
  const time = fc.uint8Array({ minLength: 8, maxLength: 8 }).map((some) => Buffer.from(some));
  const parts = fc.tuple(headers, name.map(short), time);
  fc.assert(
    fc.property(parts, (bytes) => {
      const properties = decoded(HEADERS | MESSAGE_ID | 0x0040, Buffer.concat(bytes));
      const raw: ConsumeMessage = { fields: FIELDS as never, properties, content: Buffer.alloc(0) };
      const read = readMessage(raw, false);
      const options = copyOptions(raw, read, { 'x-sless-reason': 'x' });
      wire.encodeProperties(BASIC_PROPERTIES, 1, 0, options);
      JSON.stringify(read.properties);
      const said = String(options.headers?.['x-sless-left-out'] ?? '');
      expect(Object.keys(options.headers ?? {}).filter((name) => /death|^B?CC$/.test(name))).toEqual([]);
      for (const header of Object.keys(read.headers))
        expect(header in (options.headers ?? {}) || said !== '', header).toBe(true);
      expect(options.messageId !== undefined || said.includes('messageId')).toBe(true);
    }),
    { numRuns: 3000 },
  );
});

describe.skipIf(withoutBroker !== undefined)(
  'messages that the library cannot write again, on RabbitMQ',
  () => {
    let broker: Broker;
    let stage: Stage;
    beforeAll(async () => {
      broker = await openBroker();
      stage = await openStage({ on: broker });
    });
    afterAll(async () => {
      await stage?.close();
      await broker?.close();
    });

    const deep = Array.from({ length: 200 }).reduce<Buffer>(
      (inner) => tagged('F', table(['n', inner])),
      byte,
    );
    test.each([
      ['a huge double', HEADERS, table(['big', double(-1e300)], ['ok', byte]), undefined],
      [
        'a table with the key !',
        HEADERS,
        table(['bad', tagged('F', table(['!', byte]))], ['ok', byte]),
        'bad',
      ],
      ['a deep table', HEADERS, table(['deep', deep], ['ok', byte]), 'deep'],
      ['a name that is no UTF-8', HEADERS, table([Buffer.alloc(255, 0xff), byte], ['ok', byte]), '\ufffd'],
      ['an id that is no UTF-8', MESSAGE_ID, short(Buffer.alloc(255, 0xff)), 'messageId'],
    ])(
      '%s: tried again, then a dead letter, and the next message is served',
      async (what, flags, bytes, left) => {
        const trigger = what.replaceAll(/[^a-z]/g, '-');
        stage.serve({ queue: trigger, trigger, maxAttempts: 2, prefetch: 1 });
        await stage.declare(trigger);
        stage.pod.handle = (call) => (text(call) === 'body' ? 500 : 200);
        await broker.publishRaw(`team.${trigger}`, flags, bytes);
        await stage.publish(trigger, ['after']);
        const stats = () => stage.dispatcher.stats().find((one) => one.trigger === trigger);
        await until(() => expect(stats()).toMatchObject({ done: 1, retried: 1, deadLettered: 1 }));
        const [letter] = await broker.drain(`sless.dead.team.${trigger}`);
        expect(letter).toMatchObject({ body: 'body', headers: { 'x-sless-attempts': 2 } });
        const said = letter?.headers['x-sless-left-out'];
        if (left === undefined) expect(said).toBeUndefined();
        else expect(said).toContain(left);
        if (flags === HEADERS) expect(letter?.headers.ok).toBe(1);
      },
    );

    test('a message that breaks the connection is one Trigger’s trouble, and says so', async () => {
      const names = ['poisoned', 'beside', 'and'];
      const [poisoned, ...others] = names.map((name) => stage.serve({ queue: name, trigger: name }));
      for (const name of names) await stage.declare(name);
      stage.pod.handle = () => 200;
      const nested = Array.from({ length: 4000 }).reduce<Buffer>(
        (inner) => tagged('F', table(['n', inner])),
        byte,
      );
      await broker.publishRaw('team.poisoned', HEADERS, table(['deep', nested]));
      await until(() =>
        expect(stage.stateOf(poisoned as never)).toMatchObject({
          connected: false,
          reason: 'MessageUnreadable',
        }),
      );
      for (const name of names.slice(1)) await stage.publish(name, ['x', 'y']);
      await until(() => {
        for (const one of others)
          expect(stage.dispatcher.stats().find(({ trigger }) => trigger === one.trigger)?.done).toBe(2);
        for (const one of others)
          expect(stage.stateOf(one)).toEqual({ connected: true, since: expect.any(String) });
      });
      expect(stage.stateOf(poisoned as never)).toMatchObject({ reason: 'MessageUnreadable' });
    }, 60_000);

    test('a dead letter that is worked off shows nothing of its past, at no try', async () => {
      stage.serve({ queue: 'past', trigger: 'past', maxAttempts: 3 });
      await stage.declare('past');
      stage.pod.calls.length = 0;
      stage.pod.handle = ({ message }) => (message.attempt === 1 ? 500 : 200);
      await stage.publish('past', ['again'], {
        headers: { mine: 1, 'x-sless-reason': 'FunctionError', 'x-sless-attempts': 5 },
      });
      await until(() => expect(stage.pod.calls.filter((call) => text(call) === 'again').length).toBe(2));
      const seen = stage.pod.calls
        .filter((call) => text(call) === 'again')
        .map(({ message }) => message.headers);
      expect(seen).toEqual([{ mine: 1 }, { mine: 1 }]);
    });
  },
);
