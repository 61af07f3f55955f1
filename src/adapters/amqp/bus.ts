import type { BusConsumer, BusListener, MessageBus, Subscription } from '../../ports/message-bus.ts';
import { Budget } from './budget.ts';
import { AmqpConsumer } from './consumer.ts';
import type { LinkUser } from './link.ts';
import { createLinks } from './links.ts';

interface AmqpBusOptions {
  /** Consumers of one connection. Each has a channel, and now and then a second one to declare a queue with. */
  readonly consumersPerConnection?: number;
  readonly budget?: Budget;
}

/** RabbitMQ allows 2047 channels a connection by default; and what befalls one connection shall not befall everyone. */
const CONSUMERS_PER_CONNECTION = 200;

/** Queues of RabbitMQ, or of whatever speaks AMQP 0-9-1 with its extensions (confirms, TTL and dead letters of queues). */
export function createAmqpBus(options: AmqpBusOptions = {}): MessageBus {
  const limit = options.consumersPerConnection ?? CONSUMERS_PER_CONNECTION;
  const consuming = createLinks({ limit, name: 'sless' });
  const publishing = createLinks({ limit, name: 'sless copies' });
  const budget = options.budget ?? new Budget();
  const consumers = new Set<AmqpConsumer>();

  return {
    consume(subscription: Subscription, listener: BusListener): BusConsumer {
      const { broker } = subscription;
      const join = (user: LinkUser) => publishing.join(broker, user);
      const consumer = new AmqpConsumer(subscription, listener, { join, budget });
      consumers.add(consumer);
      const leave = consuming.join(broker, consumer);
      return {
        pause: () => consumer.pause(),
        resume: (most) => consumer.resume(most),
        async close() {
          if (!consumers.delete(consumer)) return;
          await consumer.close();
          await leave();
        },
      };
    },
    async close() {
      await Promise.all([...consumers].map((consumer) => consumer.close()));
      consumers.clear();
      await Promise.all([consuming.close(), publishing.close()]);
    },
  };
}
