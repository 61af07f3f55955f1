import { randomUUID } from 'node:crypto';
import { createAmqpBus } from '../adapters/amqp/bus.ts';
import { createEmbeddedBus } from '../adapters/embedded-bus.ts';
import { createPodInvoker } from '../adapters/pod-invoker.ts';
import { queueName } from '../dispatcher/brokers.ts';
import { createDispatcher } from '../dispatcher/dispatcher.ts';
import { metricsText } from '../dispatcher/metrics-text.ts';
import type { ApiDeps } from '../gateway/api/deps.ts';
import type { EventPublisher, MessageBus } from '../ports/message-bus.ts';
import type { LocalFolder } from './folder.ts';
import type { Machine } from './machine.ts';

/** Queues and their dispatcher. */
export interface Events {
  /** Absent with a real broker: messages are published there. */
  readonly publishEvent: ApiDeps['publishEvent'];
  ready(): boolean;
  metrics(): string;
}

/** Settings of users that concern queues. */
export interface EventsOptions {
  readonly rabbitmqUrl: string | undefined;
  readonly eventsQueueTemplate: string;
  readonly brokerHosts: readonly string[] | undefined;
}

interface Options extends EventsOptions {
  readonly folder: LocalFolder;
  /** How long calls under way may take when all ends. */
  readonly drainMs: number;
}

/** Starts the dispatcher, on the broker of `RABBITMQ_URL` or else on the embedded bus. `opened` ends it. */
export function startEvents(machine: Machine, options: Options, opened: AsyncDisposableStack): Events {
  const { rabbitmqUrl, folder, eventsQueueTemplate: queueTemplate } = options;
  const clocks = { clock: machine.clock, monotonic: performance, random: Math.random };
  const embedded =
    rabbitmqUrl === undefined
      ? opened.adopt(createEmbeddedBus({ path: folder.bus, now: Date.now }), (open) => open.close())
      : undefined;
  const amqp = opened.adopt(createAmqpBus(), (open) => open.close());
  // Brokers that Triggers bring themselves are real ones, here too.
  const consume: MessageBus['consume'] = (subscription, listener) =>
    (subscription.broker.shared && embedded ? embedded : amqp).consume(subscription, listener);
  const { invoker, pods, close } = createPodInvoker(clocks);
  opened.defer(close);
  const dispatcher = createDispatcher(
    {
      ...clocks,
      cluster: machine.cluster,
      bus: { consume },
      invoker,
      pods,
      newId: randomUUID,
      logger: machine.logger,
      record: machine.calls.record,
    },
    {
      url: async () => rabbitmqUrl ?? 'amqp://embedded',
      queueTemplate,
      allowedHosts: options.brokerHosts ?? [],
      drainMs: options.drainMs,
    },
  );
  opened.defer(() => dispatcher.close());
  return {
    publishEvent: embedded && publisherOn(embedded, queueTemplate),
    ready: () => dispatcher.ready(),
    metrics: () => metricsText(dispatcher.stats()),
  };
}

function publisherOn(bus: EventPublisher, template: string): NonNullable<ApiDeps['publishEvent']> {
  return async ({ namespace, queue, body, contentType }) => {
    const properties = {
      deliveryMode: 2,
      messageId: randomUUID(),
      timestamp: Math.floor(Date.now() / 1000),
      ...(contentType === undefined ? {} : { contentType }),
    };
    await bus.publish(queueName(template, { namespace, queue }), { body, properties });
  };
}
