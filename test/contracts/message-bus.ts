import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type {
  BusConsumer,
  BusState,
  Delivery,
  MessageBus,
  MessageProperties,
  Subscription,
} from '../../src/ports/message-bus.ts';

/** A message as it was found in a queue. */
export interface Found {
  readonly body: string;
  readonly headers: Readonly<Record<string, unknown>>;
}

export interface OpenBus {
  readonly bus: MessageBus;
  /** Makes a queue, where queues must be made. */
  declare(queue: string): Promise<void>;
  publish(queue: string, body: string | Uint8Array, properties?: Partial<MessageProperties>): Promise<void>;
  /** Takes all messages out of a queue. */
  drain(queue: string): Promise<Found[]>;
  /** Another bus on the same messages, after this one ended as a killed process does. */
  restart(): Promise<MessageBus>;
  close(): Promise<void>;
}

interface Heard {
  readonly deliveries: Delivery[];
  readonly states: BusState[];
  readonly consumer: BusConsumer;
}

const broker = { id: 'test', url: async () => 'amqp://unused' };
const text = ({ body }: Delivery): string => Buffer.from(body).toString();
const bodies = ({ deliveries }: Heard): string[] => deliveries.map(text);
const until = (check: () => void): Promise<void> => vi.waitFor(check, { timeout: 10_000, interval: 10 });

/** What every message bus must do. */
export function messageBusContract(name: string, open: () => Promise<OpenBus>, skip?: string): void {
  describe.skipIf(skip !== undefined)(`message bus: ${name}`, () => {
    let opened: OpenBus;
    beforeEach(async () => {
      opened = await open();
      await opened.declare('q');
    });
    afterEach(() => opened.close());

    const consume = (changes: Partial<Subscription> = {}, bus = opened.bus): Heard => {
      const heard: Omit<Heard, 'consumer'> = { deliveries: [], states: [] };
      const subscription = {
        owner: 'ns.t',
        broker: 'broker' in opened ? (opened.broker as typeof broker) : broker,
        queue: 'q',
        deadLetterQueue: 'dead',
        prefetch: 2,
        ...changes,
      };
      const consumer = bus.consume(subscription, {
        delivered: (delivery) => void heard.deliveries.push(delivery),
        changed: (state) => void heard.states.push(state),
      });
      return { ...heard, consumer };
    };
    const publishAll = async (...texts: readonly string[]): Promise<void> => {
      for (const one of texts) await opened.publish('q', one);
    };
    const some = async (heard: Heard, count: number): Promise<Delivery[]> => {
      await until(() => expect(heard.deliveries.length).toBeGreaterThanOrEqual(count));
      return heard.deliveries;
    };

    test('delivers in order, not more at once than the prefetch, and the next ones when those are done', async () => {
      await publishAll('a', 'b', 'c', 'd');
      const heard = consume();
      await some(heard, 2);
      await until(() => expect(heard.states).toEqual([{ connected: true }]));
      expect(bodies(heard)).toEqual(['a', 'b']);
      for (const delivery of [...heard.deliveries]) delivery.ack();
      await some(heard, 4);
      expect(bodies(heard)).toEqual(['a', 'b', 'c', 'd']);
      for (const delivery of heard.deliveries) delivery.ack();
      await heard.consumer.close();
      expect(await opened.drain('q')).toEqual([]);
    });

    test('what is not ended goes back when its consumer ends, and its deliveries are lost', async () => {
      await publishAll('a', 'b');
      const first = consume();
      const [a, b] = await some(first, 2);
      a?.ack();
      await first.consumer.close();
      expect(b?.lost).toBe(true);
      b?.ack();
      await b?.retry(10);
      await b?.deadLetter({});
      const second = consume();
      const [again] = await some(second, 1);
      expect([text(again as Delivery), again?.properties.redelivered, again?.attempts]).toEqual([
        'b',
        true,
        0,
      ]);
      expect(again?.lost).toBe(false);
    });

    test('a process that is killed leaves its messages to the next', async () => {
      await publishAll('a', 'b');
      await some(consume(), 2);
      const after = consume({}, await opened.restart());
      await some(after, 2);
      expect(bodies(after).sort()).toEqual(['a', 'b']);
      expect(after.deliveries.map(({ properties }) => properties.redelivered)).toEqual([true, true]);
    });

    test('a released message comes again, not tried', async () => {
      await publishAll('a');
      const heard = consume();
      (await some(heard, 1))[0]?.release();
      const again = (await some(heard, 2))[1];
      expect([again?.attempts, again?.properties.redelivered]).toEqual([0, true]);
    });

    test('a retried message comes after its delay, counts its tries, and holds nobody up', async () => {
      await publishAll('slow', 'b', 'c');
      const heard = consume({ prefetch: 1 });
      const started = performance.now();
      await (await some(heard, 1))[0]?.retry(2000);
      for (const index of [1, 2]) (await some(heard, index + 1))[index]?.ack();
      // Making a queue for it, and a connection where there is none yet, is part of the first time.
      expect(performance.now() - started).toBeLessThan(1990);
      const second = (await some(heard, 4))[3];
      expect(performance.now() - started).toBeGreaterThanOrEqual(1995);
      expect(bodies(heard)).toEqual(['slow', 'b', 'c', 'slow']);
      expect(second?.attempts).toBe(1);
      await second?.retry(20);
      const third = (await some(heard, 5))[4];
      expect([third?.attempts, third?.properties.redelivered]).toEqual([2, false]);
    });

    test('tries outlive the process', async () => {
      await publishAll('a');
      await (await some(consume(), 1))[0]?.retry(50);
      const after = consume({}, await opened.restart());
      // The original may come too: it is acknowledged once its copy is safe, and the process may be gone by then.
      await until(() => expect(after.deliveries.map(({ attempts }) => attempts)).toContain(1));
    });

    test('a retried message follows its owner to another queue, and nobody else takes it', async () => {
      const first = consume();
      await publishAll('tried again');
      await (await some(first, 1))[0]?.retry(20);
      await first.consumer.close();
      const other = consume({ owner: 'ns.other' });
      await opened.declare('another');
      const moved = consume({ queue: 'another' });
      expect((await some(moved, 1)).map(text)).toEqual(['tried again']);
      expect(moved.deliveries[0]?.queue).toBe('q');
      expect(other.deliveries).toEqual([]);
    });

    test('a retried message is what it was, property for property, and its owner’s alone', async () => {
      const properties = {
        contentType: 'application/json',
        contentEncoding: 'identity',
        priority: 3,
        correlationId: 'c1',
        replyTo: 'answers',
        messageId: 'm1',
        timestamp: 1_700_000_000,
        type: 'order.made',
        appId: 'shop',
        headers: { tenant: 'ж', nested: { list: [1, 'two', true, null] }, traceparent: 'x' },
      };
      await opened.publish('q', '{"a":1}', properties);
      const heard = consume();
      const first = (await some(heard, 1))[0] as Delivery;
      expect(first.properties).toMatchObject({ ...properties, exchange: '', routingKey: 'q' });
      await first.retry(20);
      const other = consume({ owner: 'ns.other' });
      const second = (await some(heard, 2))[1] as Delivery;
      expect(second.properties).toEqual({ ...first.properties, redelivered: false });
      expect(Buffer.from(second.body).toString()).toBe('{"a":1}');
      expect(other.deliveries).toEqual([]);
    });

    test('a dead letter lies in its queue with the reason, and is gone from its own', async () => {
      await opened.publish('q', 'bad', { headers: { own: 'kept' } });
      const heard = consume();
      await (await some(heard, 1))[0]?.deadLetter({
        'x-sless-reason': 'FunctionError',
        'x-sless-attempts': 5,
      });
      await heard.consumer.close();
      expect(await opened.drain('dead')).toEqual([
        {
          body: 'bad',
          headers: expect.objectContaining({
            own: 'kept',
            'x-sless-reason': 'FunctionError',
            'x-sless-attempts': 5,
          }),
        },
      ]);
      expect(await opened.drain('q')).toEqual([]);
    });

    test('how often a message was a dead letter is counted through all queues and tries, and it can be parked', async () => {
      await publishAll('bad');
      const there = consume();
      const first = (await some(there, 1))[0] as Delivery;
      expect(first.deadLetterings).toBe(0);
      await first.deadLetter({});
      const back = consume({ owner: 'ns.other', queue: 'dead', deadLetterQueue: 'q' });
      await (await some(back, 1))[0]?.retry(10);
      const tried = (await some(back, 2))[1] as Delivery;
      expect([tried.attempts, tried.deadLetterings]).toEqual([1, 1]);
      await tried.deadLetter({});
      const again = (await some(there, 2))[1] as Delivery;
      expect([again.attempts, again.deadLetterings]).toEqual([0, 2]);
      await again.park({ 'x-sless-reason': 'MessageCircles' });
      const headers = expect.objectContaining({
        'x-sless-reason': 'MessageCircles',
        'x-sless-dead-letterings': 3,
      });
      expect(await opened.drain('sless.parked.ns.t')).toEqual([{ body: 'bad', headers }]);
      await Promise.all([there, back].map(({ consumer }) => consumer.close()));
      expect([...(await opened.drain('q')), ...(await opened.drain('dead'))]).toEqual([]);
    });

    test('pauses without letting go of what is in hand, and goes on', async () => {
      await publishAll('a');
      const heard = consume();
      const [a] = await some(heard, 1);
      await Promise.all([heard.consumer.pause(), heard.consumer.pause()]);
      await opened.publish('q', 'b');
      await opened.publish('q', 'c');
      const other = consume({ owner: 'ns.other', prefetch: 1 });
      await some(other, 1);
      other.deliveries[0]?.ack();
      await some(other, 2);
      expect(bodies(heard).slice(1)).toEqual([]);
      a?.ack();
      await other.consumer.close();
      heard.consumer.resume();
      await until(() => expect(bodies(heard)).toEqual(['a', 'c']));
    });

    test('two consumers share a queue', async () => {
      const [one, two] = [consume(), consume({ owner: 'ns.other' })];
      await until(() => expect([one.states.length, two.states.length]).toEqual([1, 1]));
      await publishAll('a', 'b', 'c', 'd');
      await until(() => expect([one.deliveries.length, two.deliveries.length]).toEqual([2, 2]));
      expect([...bodies(one), ...bodies(two)].sort()).toEqual(['a', 'b', 'c', 'd']);
    });

    test.each([0, 1, 10 * 1024 * 1024])(
      'a body of %i bytes arrives whole, again and in the dead letters',
      async (size) => {
        const body = Buffer.alloc(size, 0xe9);
        await opened.publish('q', body);
        const heard = consume();
        expect(body.equals((await some(heard, 1))[0]?.body as Uint8Array)).toBe(true);
        await heard.deliveries[0]?.retry(10);
        expect(body.equals((await some(heard, 2))[1]?.body as Uint8Array)).toBe(true);
        await heard.deliveries[1]?.deadLetter({ 'x-sless-reason': 'r' });
        expect((await opened.drain('dead')).length).toBe(1);
      },
    );

    test('each message is ended once, however often it is said', async () => {
      await publishAll('a', 'b');
      const heard = consume();
      const [a] = await some(heard, 2);
      a?.ack();
      a?.ack();
      a?.release();
      await a?.retry(1);
      await a?.deadLetter({});
      heard.deliveries[1]?.ack();
      await heard.consumer.close();
      expect([...(await opened.drain('q')), ...(await opened.drain('dead'))]).toEqual([]);
    });
  });
}
