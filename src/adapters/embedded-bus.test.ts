import { expect, test, vi } from 'vitest';
import type { Delivery } from '../ports/message-bus.ts';
import { createEmbeddedBus } from './embedded-bus.ts';

test('a message that falls due between two looks at the clock comes all the same', async () => {
  let time = 0;
  // Every look at the clock is a millisecond later: so each delay below meets another place between the looks.
  const bus = createEmbeddedBus({ path: ':memory:', now: () => time++ });
  const heard: Delivery[] = [];
  const subscription = {
    owner: 'ns.t',
    queue: 'q',
    deadLetterQueue: 'dead',
    prefetch: 1,
    broker: { id: 'ns', url: async () => '' },
  };
  bus.consume(subscription, { delivered: (delivery) => heard.push(delivery), changed: () => {} });
  await bus.publish('q', { body: Buffer.from('a') });
  for (let delay = 0; delay < 12; delay++) {
    await vi.waitFor(() => expect(heard).toHaveLength(delay + 1));
    await heard.at(-1)?.retry(delay);
  }
  await vi.waitFor(() => expect(heard).toHaveLength(13));
  expect(heard.at(-1)?.attempts).toBe(12);
  await bus.close();
});
