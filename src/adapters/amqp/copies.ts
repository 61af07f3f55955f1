import type { Channel, ChannelModel, Options } from 'amqplib';
import { SlessError } from '../../errors.ts';
import { parkingQueueOf } from '../../ports/message-bus.ts';
import { aside } from './aside.ts';
import { queueNames } from './message.ts';
import type { Outlet } from './outlet.ts';
import { queueProblem } from './refusal.ts';

/** A channel while it is open, and the connection that it is on. */
export interface Session {
  readonly model: ChannelModel;
  readonly channel: Channel;
  closed: boolean;
}

/** Puts copies of messages where they are safe. */
export interface Copies {
  /** Into the queue that gives it back to the Trigger after so many milliseconds. */
  delay(milliseconds: number, content: Buffer, options: Options.Publish): Promise<void>;
  /** Into the queue that gives it back to the Trigger at once. */
  handBack(content: Buffer, options: Options.Publish): Promise<void>;
  deadLetter(content: Buffer, options: Options.Publish): Promise<void>;
  /** Into the queue that nobody consumes. */
  park(content: Buffer, options: Options.Publish): Promise<void>;
}

/**
 * A delay queue that nobody declared for so long beyond its delay goes by itself, with what lies in it. So a copy counts only when it was
 * confirmed well within that time: a broker that takes nothing at present may keep it waiting for as long as it likes.
 */
const UNUSED_MS = 600_000;
/** A queue that was declared so lately is there. Far less than `UNUSED_MS`. */
const TRUST_MS = 60_000;

interface CopiesOptions {
  readonly model: ChannelModel;
  readonly outlet: Pick<Outlet, 'publish'>;
  /** Milliseconds of a clock that never goes back. */
  readonly now?: () => number;
  readonly owner: string;
  readonly deadLetterQueue: string;
}

/** Of one channel, on whose connection queues are declared. A copy counts once the broker has confirmed it, and not when no queue took it. */
export function createCopies({ model, outlet, owner, deadLetterQueue, ...more }: CopiesOptions): Copies {
  const clock = more.now ?? (() => performance.now());
  const names = queueNames(owner);
  const there = new Map<string, { readonly until: number; readonly declared: Promise<unknown> }>();

  /** Answers when it was declared, at the earliest. */
  const ensure = async (queue: string, declare: () => Promise<unknown>): Promise<number> => {
    const known = there.get(queue);
    const now = clock();
    const current =
      known !== undefined && now < known.until ? known : { until: now + TRUST_MS, declared: declare() };
    there.set(queue, current);
    try {
      await current.declared;
      return current.until - TRUST_MS;
    } catch (error) {
      there.delete(queue);
      throw queueProblem(error, queue);
    }
  };

  const publish = async (queue: string, content: Buffer, options: Options.Publish): Promise<void> => {
    if (await outlet.publish(queue, content, options)) return;
    there.delete(queue);
    throw new SlessError('QueueNotFound', `there is no queue ${queue}`);
  };

  const keep = async (queue: string, content: Buffer, options: Options.Publish): Promise<void> => {
    await ensure(queue, () => makeDurable(model, queue));
    await publish(queue, content, options);
  };

  return {
    async delay(milliseconds, content, options) {
      const queue = names.delay(milliseconds);
      const declaredAt = await ensure(queue, () =>
        aside(model, (other) =>
          other.assertQueue(queue, {
            durable: true,
            messageTtl: milliseconds,
            expires: milliseconds + UNUSED_MS,
            deadLetterExchange: '',
            deadLetterRoutingKey: names.retry,
          }),
        ),
      );
      await publish(queue, content, options);
      if (clock() - declaredAt < UNUSED_MS - TRUST_MS) return;
      there.delete(queue);
      throw new SlessError(
        'BrokerBlocked',
        'the broker has taken a copy after so long that its queue may be gone: there will be another one',
      );
    },
    handBack: (content, options) => keep(names.retry, content, options),
    deadLetter: (content, options) => keep(deadLetterQueue, content, options),
    park: (content, options) => keep(parkingQueueOf(owner), content, options),
  };
}

/** A queue that is there is taken as it is: somebody may have declared it as a quorum queue, or with a bound. */
export async function makeDurable(model: ChannelModel, queue: string): Promise<void> {
  try {
    await aside(model, (channel) => channel.checkQueue(queue));
  } catch (error) {
    if (queueProblem(error, queue).code !== 'QueueNotFound') throw error;
    await aside(model, (channel) => channel.assertQueue(queue, { durable: true }));
  }
}
