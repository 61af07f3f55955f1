import type {
  BrokerAddress,
  BusConsumer,
  BusListener,
  MessageBus,
  Subscription,
} from '../../ports/message-bus.ts';
import { AmqpConsumer } from './consumer.ts';
import { Link } from './link.ts';

interface AmqpBusOptions {
  /** Consumers of one connection. Each has a channel, and now and then a second one to declare a queue with. */
  readonly consumersPerConnection?: number;
}

/** RabbitMQ allows 2047 channels a connection by default; and what befalls one connection shall not befall everyone. */
const CONSUMERS_PER_CONNECTION = 200;

/** Queues of RabbitMQ, or of whatever speaks AMQP 0-9-1 with its extensions (confirms, TTL and dead letters of queues). */
export function createAmqpBus(options: AmqpBusOptions = {}): MessageBus {
  const limit = options.consumersPerConnection ?? CONSUMERS_PER_CONNECTION;
  const links = new Map<string, Set<Link>>();
  const consumers = new Set<AmqpConsumer>();

  const linkFor = (broker: BrokerAddress): Link => {
    const ofBroker = links.get(broker.id) ?? new Set<Link>();
    links.set(broker.id, ofBroker);
    const free = [...ofBroker].find((link) => link.users.size < limit);
    if (free !== undefined) return free;
    const made = new Link({ url: () => broker.url(), name: `sless ${broker.id}`.trimEnd() });
    ofBroker.add(made);
    return made;
  };

  const leave = async (link: Link, id: string): Promise<void> => {
    if (link.users.size > 0) return;
    const ofBroker = links.get(id);
    ofBroker?.delete(link);
    if (ofBroker?.size === 0) links.delete(id);
    await link.close();
  };

  return {
    consume(subscription: Subscription, listener: BusListener): BusConsumer {
      const { broker } = subscription;
      const link = linkFor(broker);
      const consumer = new AmqpConsumer(subscription, listener);
      consumers.add(consumer);
      link.add(consumer);
      return {
        pause: () => consumer.pause(),
        resume: () => consumer.resume(),
        async close() {
          if (!consumers.delete(consumer)) return;
          await consumer.close();
          link.remove(consumer);
          await leave(link, broker.id);
        },
      };
    },
    async close() {
      await Promise.all([...consumers].map((consumer) => consumer.close()));
      consumers.clear();
      const all = [...links.values()].flatMap((ofBroker) => [...ofBroker]);
      links.clear();
      await Promise.all(all.map((link) => link.close()));
    },
  };
}
