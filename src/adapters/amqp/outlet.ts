import { setTimeout as sleep } from 'node:timers/promises';
import type { ChannelModel, ConfirmChannel, Options } from 'amqplib';
import { SlessError } from '../../errors.ts';
import { closed } from './aside.ts';
import type { LinkUser } from './link.ts';
import { isNacked, queueFull, queueProblem } from './refusal.ts';

const COPY = 'x-sless-copy';
const CLOSE_MS = 1000;

interface OutletOptions {
  /** Comes onto a connection, and answers how to leave it. */
  readonly join: (user: LinkUser) => () => Promise<void>;
  /** Told why the broker takes nothing at present, and with `undefined` when it does again. */
  readonly blocked: (problem: SlessError | undefined) => void;
}

/**
 * Where copies of one consumer go out: on another connection than it consumes on, opened for the first copy. A broker that is short of memory
 * or disk stops reading a connection that publishes, and would with it not read acknowledgements.
 */
export class Outlet implements LinkUser {
  readonly #options: OutletOptions;
  readonly #returned = new Set<string>();
  #leave: (() => Promise<void>) | undefined;
  #model: ChannelModel | undefined;
  #problem: SlessError | undefined;
  #channel: Promise<ConfirmChannel> | undefined;
  #failure: unknown;
  #waiting: (() => void)[] = [];
  #counter = 0;

  constructor(options: OutletOptions) {
    this.#options = options;
  }

  up(model: ChannelModel): void {
    this.#model = model;
    this.#problem = undefined;
    this.#wake();
  }

  down(problem: SlessError): void {
    this.#model = undefined;
    this.#channel = undefined;
    this.#problem = problem;
    this.#options.blocked(undefined);
    this.#wake();
  }

  blocked(reason: string | undefined): void {
    this.#options.blocked(
      reason === undefined
        ? undefined
        : new SlessError('BrokerBlocked', `the broker takes no messages at present: ${reason.slice(0, 200)}`),
    );
  }

  /** Resolves once the broker has it safely; with false when no queue took it. `mandatory` has such a one returned before it is confirmed. */
  async publish(queue: string, content: Buffer, options: Options.Publish): Promise<boolean> {
    const channel = await this.#open();
    this.#counter += 1;
    const id = String(this.#counter);
    const headers = { ...options.headers, [COPY]: id };
    await new Promise<void>((resolve, reject) => {
      channel.publish('', queue, content, { ...options, headers }, (error) =>
        error ? reject(this.#problemOf(error, queue)) : resolve(),
      );
    });
    return !this.#returned.delete(id);
  }

  async close(): Promise<void> {
    const channel = await this.#channel?.catch(() => undefined);
    // A broker that reads nothing does not answer either.
    if (channel !== undefined)
      await Promise.race([closed(channel), sleep(CLOSE_MS, undefined, { ref: false })]);
    await this.#leave?.();
  }

  async #open(): Promise<ConfirmChannel> {
    this.#leave ??= this.#options.join(this);
    while (this.#model === undefined) {
      if (this.#problem !== undefined) throw this.#problem;
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
    if (this.#channel !== undefined) return this.#channel;
    this.#failure = undefined;
    const opening = this.#model.createConfirmChannel();
    this.#channel = opening;
    opening.then(
      (channel) => this.#prepare(channel, opening),
      () => this.#drop(opening),
    );
    return opening;
  }

  #problemOf(error: unknown, queue: string): SlessError {
    return isNacked(error) ? queueFull(error, queue) : queueProblem(this.#failure ?? error, queue);
  }

  #prepare(channel: ConfirmChannel, opening: Promise<ConfirmChannel>): void {
    channel.on('error', (error) => {
      this.#failure = error;
    });
    channel.on('close', () => this.#drop(opening));
    channel.on('return', ({ properties }) => this.#returned.add(String(properties.headers?.[COPY])));
  }

  #drop(opening: Promise<ConfirmChannel>): void {
    if (this.#channel === opening) this.#channel = undefined;
  }

  #wake(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resume of waiting) resume();
  }
}
