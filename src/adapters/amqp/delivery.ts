import type { Channel, ConsumeMessage } from 'amqplib';
import { SlessError } from '../../errors.ts';
import { DEAD_LETTERINGS, type Delivery, type MessageProperties } from '../../ports/message-bus.ts';
import type { Copies, Session } from './copies.ts';
import {
  bareOptions,
  copyOptions,
  type ReadMessage,
  readMessage,
  retryHeaders,
  unreadMessage,
} from './message.ts';

/** Where a delivery came from. */
interface Source {
  readonly session: Session;
  readonly copies: Copies;
  /** As the Trigger names it. */
  readonly queue: string;
  readonly isRetry: boolean;
  /** Told when it is in hand no more. */
  readonly ended: () => void;
}

/**
 * A quorum queue drops a message that it has taken back too often: RabbitMQ 4 after twenty times, or as its `x-delivery-limit` says, lost connections
 * included. After so many it goes on as a copy in the retry queue; a limit below that is the queue's own wish.
 */
const MAX_RETURNS = 5;

/** What the library's encoder throws, before it has written anything: no trouble of the broker, and no later try mends it. */
const isUnwritable = (error: unknown): boolean => error instanceof TypeError || error instanceof RangeError;

/** One message in hand. It is acknowledged on the channel that brought it, and when that is gone it is lost. */
export class AmqpDelivery implements Delivery {
  readonly #raw: ConsumeMessage;
  readonly #source: Source;
  readonly #read: ReadMessage;
  readonly problem?: SlessError;
  #ended = false;
  #leaving = false;

  constructor(raw: ConsumeMessage, source: Source) {
    this.#raw = raw;
    this.#source = source;
    try {
      const read = readMessage(raw, source.isRetry);
      this.#read = { ...read, origin: { queue: source.queue, ...read.origin } };
    } catch (cause) {
      // Thrown on, it would end the channel, and after each redelivery the next one.
      this.#read = unreadMessage(raw);
      this.problem = new SlessError(
        'MessageUnreadable',
        `its headers or properties make no sense: ${cause}`,
        {
          cause,
        },
      );
    }
  }

  get body(): Uint8Array {
    return this.#raw.content;
  }

  get properties(): MessageProperties {
    return this.#read.properties;
  }

  get queue(): string {
    return this.#read.origin.queue ?? this.#source.queue;
  }

  get attempts(): number {
    return this.#read.attempts;
  }

  get deadLetterings(): number {
    return this.#read.deadLetterings;
  }

  get lost(): boolean {
    return this.#source.session.closed;
  }

  ack(): void {
    this.#end((channel) => channel.ack(this.#raw));
  }

  release(): void {
    if (this.#read.returns < MAX_RETURNS || this.lost) this.#giveBack();
    else if (!this.#leaving) void this.#handBack();
  }

  async retry(delayMs: number): Promise<void> {
    await this.#copy(retryHeaders(this.#read, this.attempts + 1), (options) =>
      this.#source.copies.delay(delayMs, this.#raw.content, options),
    );
  }

  async deadLetter(headers: Readonly<Record<string, string | number>>): Promise<void> {
    await this.#copy(this.#counting(headers), (options) =>
      this.#source.copies.deadLetter(this.#raw.content, options),
    );
  }

  async park(headers: Readonly<Record<string, string | number>>): Promise<void> {
    await this.#copy(this.#counting(headers), (options) =>
      this.#source.copies.park(this.#raw.content, options),
    );
  }

  #giveBack(): void {
    this.#end((channel) => channel.nack(this.#raw, false, true));
  }

  async #handBack(): Promise<void> {
    this.#leaving = true;
    try {
      await this.#copy(retryHeaders(this.#read, this.attempts), (options) =>
        this.#source.copies.handBack(this.#raw.content, options),
      );
    } catch {
      // There is no safe place for a copy, so the queue gets it back all the same.
    }
    this.#giveBack();
  }

  #counting(headers: Readonly<Record<string, string | number>>) {
    return { ...headers, [DEAD_LETTERINGS]: this.deadLetterings + 1 };
  }

  async #copy(
    headers: Readonly<Record<string, string | number>>,
    put: (options: ReturnType<typeof copyOptions>) => Promise<void>,
  ): Promise<void> {
    if (this.#ended || this.lost) return;
    try {
      await this.#whole(headers, put).catch((error) => {
        if (!isUnwritable(error)) throw error;
        return put(bareOptions(this.#read, headers));
      });
    } catch (error) {
      // The broker hands the original over again; whether the copy arrived will never be known.
      if (this.lost) return;
      throw error;
    }
    this.ack();
  }

  async #whole(
    headers: Readonly<Record<string, string | number>>,
    put: (options: ReturnType<typeof copyOptions>) => Promise<void>,
  ): Promise<void> {
    if (this.problem !== undefined) return put(bareOptions(this.#read, headers));
    return put(copyOptions(this.#raw, this.#read, headers));
  }

  #end(say: (channel: Channel) => void): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#source.ended();
    if (this.lost) return;
    try {
      say(this.#source.session.channel);
    } catch {
      // The channel is closing, of which its events tell next: the message is lost.
      this.#source.session.closed = true;
    }
  }
}
