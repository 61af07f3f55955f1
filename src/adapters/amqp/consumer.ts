import type { ChannelModel, ConsumeMessage } from 'amqplib';
import type { SlessError } from '../../errors.ts';
import type { BusConsumer, BusListener, Subscription } from '../../ports/message-bus.ts';
import { aside, closed } from './aside.ts';
import type { Budget } from './budget.ts';
import { type Copies, createCopies, makeDurable, type Session } from './copies.ts';
import { AmqpDelivery } from './delivery.ts';
import { Intake } from './intake.ts';
import type { LinkUser } from './link.ts';
import type { SuspectUser } from './links.ts';
import { queueNames } from './message.ts';
import { Outlet } from './outlet.ts';
import { queueProblem } from './refusal.ts';
import { createStreams } from './streams.ts';

/** So often is a queue looked for that is not there, or cannot be used. */
const LOOK_AGAIN_MS = 5000;
/** So long does one wait whose message broke its connection; and so long must the connection live until nobody is suspected any more. */
const SUSPECT_WAIT_MS = 15_000;
const CURE_MS = 60_000;

interface ConsumerDeps {
  readonly join: (user: LinkUser) => () => Promise<void>;
  readonly budget: Budget;
}

/**
 * The consumer of one Trigger: a channel, and on it two subscriptions, to the queue and to what is tried again. It is
 * steered by what is wanted and what there is: whatever happens, `#settle` goes from the one to the other.
 */
export class AmqpConsumer implements BusConsumer, SuspectUser {
  readonly #subscription: Subscription;
  readonly #listener: BusListener;
  readonly #retryQueue: string;
  /** Consumer tags by queue. */
  readonly #tags = new Map<string, string>();
  #model: ChannelModel | undefined;
  #session: Session | undefined;
  #copies: Copies | undefined;
  #paused = false;
  #most = Number.POSITIVE_INFINITY;
  #closed = false;
  #settling: Promise<void> | undefined;
  #again = false;
  #connected = false;
  #timer: NodeJS.Timeout | undefined;
  readonly #outlet: Outlet;
  /** Why the broker takes no copies at present. */
  #blocked: SlessError | undefined;
  /** A message of this one breaks its connection. */
  #suspect: SlessError | undefined;
  #cure: NodeJS.Timeout | undefined;
  readonly #intake: Intake;
  readonly #streams = createStreams();
  /** Messages that were subscribed for. */
  #window = 0;

  constructor(subscription: Subscription, listener: BusListener, { join, budget }: ConsumerDeps) {
    this.#subscription = subscription;
    this.#listener = listener;
    const [namespace = ''] = subscription.owner.split('.', 1);
    this.#intake = new Intake({ ...subscription, namespace, budget, changed: () => this.#wake() });
    this.#retryQueue = queueNames(subscription.owner).retry;
    this.#outlet = new Outlet({
      join,
      blocked: (problem) => {
        if (problem === this.#blocked) return;
        this.#blocked = problem;
        if (this.#connected && !this.#closed) this.#tellConnected();
      },
    });
  }

  up(model: ChannelModel): void {
    this.#model = model;
    if (this.#suspect === undefined) this.#wake();
    else this.#later(SUSPECT_WAIT_MS);
  }

  down(problem: SlessError): void {
    this.#model = undefined;
    this.#dropSession();
    this.#tell(this.#suspect ?? problem);
  }

  suspect(problem: SlessError): void {
    this.#suspect = problem;
    this.#tell(problem);
  }

  async pause(): Promise<void> {
    this.#paused = true;
    this.#wake();
    await this.#settling;
  }

  resume(most = Number.POSITIVE_INFINITY): void {
    this.#most = most;
    this.#paused = false;
    this.#wake();
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    await this.#settling;
    const session = this.#session;
    this.#dropSession();
    // What was not acknowledged goes back to its queue with the channel.
    if (session !== undefined) await closed(session.channel);
    this.#intake.close();
    await this.#outlet.close();
  }

  #wake(): void {
    clearTimeout(this.#timer);
    if (this.#closed) return;
    if (this.#settling !== undefined) {
      this.#again = true;
      return;
    }
    this.#settling = this.#settle().finally(() => {
      this.#settling = undefined;
    });
  }

  async #settle(): Promise<void> {
    do {
      this.#again = false;
      const model = this.#model;
      if (this.#closed || model === undefined) return;
      try {
        await this.#approach(model);
      } catch (error) {
        this.#trouble(error, model);
      }
    } while (this.#again);
  }

  async #approach(model: ChannelModel): Promise<void> {
    if (this.#paused || this.#intake.isFull) return this.#unsubscribe();
    const { queue } = this.#subscription;
    const window = Math.min(this.#intake.window, this.#most);
    if (window !== this.#window) await this.#unsubscribe();
    this.#window = window;
    if (this.#tags.size < 2) {
      await aside(model, (channel) => channel.checkQueue(queue));
      await makeDurable(model, this.#retryQueue);
      for (const one of [queue, this.#retryQueue]) await this.#streams.refuse(model, one);
      const session = await this.#open(model);
      await session.channel.prefetch(this.#suspect === undefined ? window : 1);
      await this.#subscribe(session, this.#retryQueue, true);
      await this.#subscribe(session, queue, false);
    }
    if (this.#suspect === undefined) this.#tell(undefined);
    else this.#cure ??= setTimeout(() => void this.#cured(), CURE_MS);
  }

  async #unsubscribe(): Promise<void> {
    for (const [queue, tag] of [...this.#tags]) {
      this.#tags.delete(queue);
      await this.#session?.channel.cancel(tag);
    }
  }

  /** The message is gone, it seems: subscribes again, with as many as are wanted. What is in hand stays so. */
  async #cured(): Promise<void> {
    this.#suspect = undefined;
    await this.#unsubscribe().catch(() => {}); // of a channel that goes, its events tell
    this.#wake();
  }

  async #open(model: ChannelModel): Promise<Session> {
    if (this.#session !== undefined) return this.#session;
    const channel = await model.createChannel();
    const session: Session = { model, channel, closed: false };
    channel.on('error', (error) => {
      if (this.#session === session) this.#trouble(error, model);
    });
    channel.on('close', () => {
      if (this.#session !== session) return;
      this.#dropSession();
      this.#later();
    });
    this.#session = session;
    this.#copies = createCopies({ ...this.#subscription, model, outlet: this.#outlet });
    return session;
  }

  async #subscribe(session: Session, queue: string, isRetry: boolean): Promise<void> {
    if (this.#tags.has(queue)) return;
    const { named = this.#subscription.queue } = this.#subscription;
    const { consumerTag } = await session.channel.consume(queue, (message: ConsumeMessage | null) => {
      if (message === null) this.#cancelled(queue, session);
      else if (this.#copies !== undefined && !session.closed) {
        const { length } = message.content;
        const source = { session, copies: this.#copies, queue: named, isRetry };
        const delivery = new AmqpDelivery(message, { ...source, ended: () => this.#intake.gave(length) });
        if (this.#intake.took(length)) this.#listener.delivered(delivery);
        else delivery.release();
      }
    });
    if (this.#session === session) this.#tags.set(queue, consumerTag);
  }

  /** By the broker: the queue was deleted, or its leader has moved. What is in hand can still be acknowledged. */
  #cancelled(queue: string, session: Session): void {
    if (this.#session !== session) return;
    this.#tags.delete(queue);
    this.#streams.forget();
    this.#wake();
  }

  #trouble(error: unknown, model: ChannelModel): void {
    // A connection that was lost is told about by its link.
    if (this.#closed || this.#model !== model) return;
    this.#tell(queueProblem(error, this.#subscription.queue));
    this.#later();
  }

  #later(milliseconds = LOOK_AGAIN_MS): void {
    clearTimeout(this.#timer);
    if (!this.#closed) this.#timer = setTimeout(() => this.#wake(), milliseconds);
  }

  #dropSession(): void {
    clearTimeout(this.#cure);
    this.#cure = undefined;
    const session = this.#session;
    this.#session = undefined;
    this.#copies = undefined;
    this.#streams.forget();
    this.#tags.clear();
    if (session === undefined) return;
    session.closed = true;
    this.#listener.lost?.();
  }

  #tell(problem: SlessError | undefined): void {
    if (this.#closed || (problem === undefined && this.#connected)) return;
    this.#connected = problem === undefined;
    if (problem === undefined) this.#tellConnected();
    else this.#listener.changed({ connected: false, problem });
  }

  #tellConnected(): void {
    const problem = this.#blocked;
    this.#listener.changed(problem === undefined ? { connected: true } : { connected: true, problem });
  }
}
