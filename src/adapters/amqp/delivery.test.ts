import type { ConsumeMessage, Options } from 'amqplib';
import { expect, test } from 'vitest';
import { AmqpDelivery } from './delivery.ts';

test('a message that cannot be understood is a delivery still: it says so, and becomes a dead letter without its headers', async () => {
  const acked: unknown[] = [];
  const letters: [Buffer, Options.Publish][] = [];
  const raw = {
    content: Buffer.from('body'),
    fields: { exchange: 'e', routingKey: 'r', redelivered: true },
    properties: {
      get headers(): never {
        throw new TypeError('Cannot convert object to primitive value');
      },
    },
  } as unknown as ConsumeMessage;
  const delivery = new AmqpDelivery(raw, {
    session: { model: {}, channel: { ack: (one: unknown) => acked.push(one) }, closed: false } as never,
    copies: {
      deadLetter: async (body: Buffer, options: Options.Publish) => letters.push([body, options]),
    } as never,
    queue: 'q',
    isRetry: true,
    ended: () => {},
  });
  expect(delivery.problem?.code).toBe('MessageUnreadable');
  expect(delivery.properties).toEqual({ exchange: 'e', routingKey: 'r', redelivered: true, headers: {} });
  await delivery.deadLetter({ 'x-sless-reason': 'MessageUnreadable' });
  expect(acked).toEqual([raw]);
  const [[body, options] = []] = letters;
  expect(body).toEqual(raw.content);
  expect(options?.headers).toMatchObject({
    'x-sless-reason': 'MessageUnreadable',
    'x-sless-dead-letterings': 1,
    'x-sless-left-out': 'all headers and properties',
  });
});
