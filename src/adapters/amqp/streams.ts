import type { ChannelModel } from 'amqplib';
import { SlessError } from '../../errors.ts';
import { aside } from './aside.ts';

/** A queue that was no stream is none for so long: each question leaves a line in the broker's log, and busy functions subscribe often. */
const TRUST_MS = 60_000;
const PRECONDITION_FAILED = 406;

/** Tells streams from queues, by asking the broker. */
export interface Streams {
  /**
   * A stream would be read from its end, keep nothing that is not acknowledged and hand all to every consumer. Fails with `QueueRefused` on
   * one, and with the library's error when the broker refuses the queue for another reason.
   */
  refuse(model: ChannelModel, queue: string): Promise<void>;
  /** It may have been deleted and made anew. */
  forget(): void;
}

export function createStreams(): Streams {
  const trusted = new Map<string, number>();
  return {
    async refuse(model, queue) {
      if (performance.now() < (trusted.get(queue) ?? 0)) return;
      if (await isStream(model, queue))
        throw new SlessError(
          'QueueRefused',
          `the queue ${queue} is a stream, and streams are not carried: name a classic or a quorum queue`,
        );
      trusted.set(queue, performance.now() + TRUST_MS);
    },
    forget: () => trusted.clear(),
  };
}

/**
 * A passive declaration does not tell the type, and an active one needs a right that the login may not have. So it is subscribed to in a
 * way that every type refuses before it hands anything over: a queue because of the argument, which is a stream's, and a stream because the channel has no
 * prefetch (RabbitMQ's `rabbit_stream_queue:consume`, whose words differ by a few from 3.9 to 4.3).
 */
async function isStream(model: ChannelModel, queue: string): Promise<boolean> {
  const argued = { arguments: { 'x-stream-offset': 'next' } };
  try {
    await aside(model, (channel) => channel.consume(queue, () => {}, argued));
    return false; // another broker, which does not mind; what it handed over goes back with the channel
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === PRECONDITION_FAILED)) throw error;
    return error.message.includes('prefetch count is not set');
  }
}
