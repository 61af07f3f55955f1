import type { MonotonicClock } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';
import type { BusConsumer, BusState, Delivery, MessageBus, Subscription } from '../ports/message-bus.ts';
import type { Consumer } from '../resources/trigger/consumer.ts';
import { type AttemptDeps, attempt, type Outcome } from './attempt.ts';
import { type Condition, conditionOf } from './condition.ts';
import type { FunctionState } from './functions.ts';
import type { Lane } from './lane.ts';
import { createPace, type Pace } from './pace.ts';
import { countDelivery, countEnd, type TriggerStats } from './stats.ts';

/** What the consumer of a Trigger stands on. */
export interface TriggerConsumerDeps extends Omit<AttemptDeps, 'consumer' | 'stuck' | 'signal'> {
  readonly bus: Pick<MessageBus, 'consume'>;
  /** Milliseconds that messages are kept for a function that takes none; then they go back, where others can see them. */
  readonly holdMs: number;
  readonly monotonic: MonotonicClock;
  readonly stats: TriggerStats;
  readonly lane: Lane;
  readonly logger: Pick<Logger, 'error'>;
  /** Told when its state has changed. */
  readonly changed: (condition: Condition) => void;
}

/** A message that waits for its turn, and since when it is in hand. */
interface Waiting {
  readonly delivery: Delivery;
  readonly since: number;
}

/** RabbitMQ takes a channel away from who keeps a message for 30 minutes; a call must end before that. */
const ACK_LIMIT_MS = 29 * 60_000;
/** A function that is busy for less is not worth a word. */
const BUSY_MS = 5000;

/**
 * Carries the messages of one Trigger to its function. At most `prefetch` calls are under way; what the bus hands over beyond that
 * waits here, in order. While the function is stopped, rolling or busy nothing is tried.
 */
export class TriggerConsumer {
  readonly #consumer: Consumer;
  readonly #deps: TriggerConsumerDeps;
  readonly #attempts: AttemptDeps;
  readonly #pace: Pace;
  readonly #ending = new AbortController();
  readonly #bus: BusConsumer;
  readonly #unfollow: () => void;
  #waiting: Waiting[] = [];
  #running = 0;
  #function: FunctionState;
  #busState: BusState | undefined;
  /** Why messages cannot be put away. */
  readonly #stuck = new Map<Delivery, unknown>();
  #closing = false;
  #idle: (() => void) | undefined;
  #timer: NodeJS.Timeout | undefined;
  #holdTimer: NodeJS.Timeout | undefined;
  /** Of a function that has been busy for long, one message is kept to knock with. */
  #knocking = false;
  /** Messages that the bus was asked for. */
  #width: number;

  constructor(
    subscription: Subscription,
    { consumer, state }: { readonly consumer: Consumer; readonly state: FunctionState },
    deps: TriggerConsumerDeps,
  ) {
    this.#consumer = consumer;
    this.#deps = deps;
    this.#function = state;
    this.#pace = createPace(consumer.prefetch, deps.random);
    this.#width = consumer.prefetch;
    this.#attempts = {
      ...deps,
      consumer,
      signal: this.#ending.signal,
      stuck: (delivery, problem) => this.#stuckBy(delivery, problem),
    };
    this.#bus = deps.bus.consume(subscription, {
      delivered: (delivery) => this.#delivered(delivery),
      lost: () => this.#forgetLost(),
      changed: (busState) => {
        this.#busState = busState;
        deps.stats.connected = busState.connected;
        this.#tell();
      },
    });
    this.#unfollow = deps.lane.follow(() => this.#pump());
    if (!state.ready) this.#suspend();
    this.#tell();
  }

  /** The function is another way now. */
  functionIs(state: FunctionState): void {
    if (this.#closing) return;
    const before = this.#function;
    this.#function = state;
    if (state.ready && !before.ready) {
      clearTimeout(this.#holdTimer);
      this.#resume();
    } else if (!state.ready && before.ready) this.#suspend();
    this.#tell();
    this.#pump();
  }

  /** Takes no more, gives back what waits, and lets calls end for so long; what is left then is cut off and goes back. */
  async close(drainMs: number): Promise<void> {
    this.#closing = true;
    this.#unfollow();
    clearTimeout(this.#timer);
    clearTimeout(this.#holdTimer);
    await this.#bus.pause();
    this.#giveBack();
    if (this.#running > 0) {
      const idle = new Promise<void>((resolve) => {
        this.#idle = resolve;
      });
      const late = setTimeout(() => this.#ending.abort(), drainMs);
      await idle;
      clearTimeout(late);
    }
    await this.#bus.close();
  }

  /** Many messages may be stuck of one cause, each of them every few seconds: it is logged when it changes. */
  #stuckBy(delivery: Delivery, problem: unknown): void {
    const { namespace, trigger } = this.#consumer;
    if (problem === undefined) {
      if (this.#stuck.delete(delivery)) this.#tell();
      return;
    }
    if (![...this.#stuck.values()].some((known) => String(known) === String(problem)))
      this.#deps.logger.error({ err: problem, namespace, trigger }, 'a message cannot be put away');
    this.#stuck.set(delivery, problem);
    this.#tell();
  }

  /** Of the message that is stuck for longest; one that is lost is handed over again, and may go another way. */
  #stuckFor(): unknown {
    for (const [delivery, problem] of this.#stuck) if (!delivery.lost) return problem;
    return undefined;
  }

  #suspend(): void {
    this.#knocking = false;
    void this.#bus.pause();
    clearTimeout(this.#holdTimer);
    this.#holdTimer = setTimeout(() => this.#giveBack(), this.#deps.holdMs).unref();
  }

  #resume(): void {
    this.#knocking = false;
    this.#width = this.#pace.width;
    this.#bus.resume(this.#width);
  }

  /** No more than the function takes, lest the rest be given back the next time that it is busy: each time counts, and too many lose the message. */
  #widen(): void {
    const { width } = this.#pace;
    const { prefetch } = this.#consumer;
    if (this.#width < prefetch && width >= Math.min(this.#width * 2, prefetch)) this.#resume();
  }

  /** A function that takes no call for so long: what waits goes back, but for the one that finds out when it does again. */
  async #holdOnlyOne(now: number): Promise<void> {
    const { busySince } = this.#pace;
    if (this.#knocking || busySince === undefined || now - busySince < this.#deps.holdMs) return;
    this.#knocking = true;
    await this.#bus.pause();
    if (this.#knocking && !this.#closing) this.#giveBack(this.#running > 0 ? 0 : 1);
  }

  /** A connection that comes and goes would leave a prefetch of bodies here each time, as long as all places are taken. */
  #forgetLost(): void {
    for (const { delivery } of this.#waiting) if (delivery.lost) delivery.release();
    this.#waiting = this.#waiting.filter(({ delivery }) => !delivery.lost);
  }

  #giveBack(kept = 0): void {
    for (const { delivery } of this.#waiting.splice(kept)) delivery.release();
  }

  #delivered(delivery: Delivery): void {
    const { stats, monotonic } = this.#deps;
    countDelivery(stats, delivery);
    if (this.#closing) {
      delivery.release();
      return;
    }
    this.#waiting.push({ delivery, since: monotonic.now() });
    this.#pump();
  }

  #pump(): void {
    const now = this.#deps.monotonic.now();
    while (!this.#closing && this.#function.ready && this.#pace.allows(this.#deps.lane.running, now)) {
      const next = this.#waiting.shift();
      if (next === undefined) {
        // The one to knock with is gone with its connection, or was kept as long as may be.
        if (this.#knocking && this.#running === 0) this.#resume();
        return;
      }
      if (next.delivery.lost) continue;
      const left = ACK_LIMIT_MS - (now - next.since);
      if (left < this.#consumer.timeoutSeconds * 1000) next.delivery.release();
      else this.#start(next);
    }
    const pause = this.#pace.pause(now);
    if (pause === 0 || this.#closing || (this.#waiting.length === 0 && !this.#knocking)) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#pump(), pause);
  }

  #start(one: Waiting): void {
    this.#running += 1;
    this.#deps.lane.began();
    this.#deps.stats.inFlight += 1;
    void attempt(one.delivery, this.#attempts).then((outcome) => this.#ended(one, outcome));
  }

  #ended(one: Waiting, outcome: Outcome): void {
    const { stats, monotonic, lane } = this.#deps;
    this.#running -= 1;
    lane.ended();
    countEnd(stats, outcome);
    if (outcome === 'untried') {
      this.#pace.refused(lane.running, monotonic.now());
      if (this.#closing) one.delivery.release();
      else this.#waiting.unshift(one);
      void this.#holdOnlyOne(monotonic.now());
    } else {
      // Whatever the function said of the message, it has taken it.
      if (outcome !== 'lost') this.#pace.succeeded();
      else one.delivery.release();
      if (outcome !== 'lost' && this.#knocking) this.#resume();
      else if (this.#function.ready && !this.#closing && !this.#knocking) this.#widen();
    }
    if (this.#running === 0) this.#idle?.();
    this.#tell();
    lane.freed();
  }

  #tell(): void {
    const { busySince } = this.#pace;
    const isBusy = busySince !== undefined && this.#deps.monotonic.now() - busySince >= BUSY_MS;
    this.#deps.changed(
      conditionOf({ bus: this.#busState, function: this.#function, stuck: this.#stuckFor(), isBusy }),
    );
  }
}
