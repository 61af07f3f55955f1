/** What a header of a message can hold. Bytes and times of the broker come as texts and numbers. */
export type HeaderValue =
  | string
  | number
  | boolean
  | null
  | readonly HeaderValue[]
  | { readonly [name: string]: HeaderValue };

/** All that a message carries beside its body, in the words of AMQP. What its sender did not set is absent. */
export interface MessageProperties {
  readonly exchange: string;
  readonly routingKey: string;
  /** Whether the broker has delivered it before, to anyone, without hearing how it went. */
  readonly redelivered: boolean;
  readonly headers: Readonly<Record<string, HeaderValue>>;
  readonly contentType?: string;
  readonly contentEncoding?: string;
  /** 2 is persistent. */
  readonly deliveryMode?: number;
  readonly priority?: number;
  readonly correlationId?: string;
  readonly replyTo?: string;
  readonly expiration?: string;
  readonly messageId?: string;
  /** Seconds since 1970. */
  readonly timestamp?: number;
  readonly type?: string;
  readonly userId?: string;
  readonly appId?: string;
}

/**
 * A message that was handed over. Exactly one of `ack`, `release`, `retry` and `deadLetter` ends it; until then the bus keeps it for
 * this consumer alone. Once it is `lost`, the bus has taken it back and hands it over again: then they do nothing but free its bytes, which
 * count as in hand until then.
 */
export interface Delivery {
  readonly body: Uint8Array;
  readonly properties: MessageProperties;
  /** Where it came from when it was first taken, as its Trigger named it then. */
  readonly queue: string;
  /** Tries that were counted before this delivery; they outlive every process. */
  readonly attempts: number;
  /** How often it has become a dead letter before, by whichever owner; it says so itself, in `DEAD_LETTERINGS`. */
  readonly deadLetterings: number;
  readonly lost: boolean;
  /** Why it cannot be understood. Then its properties lack most of it, and no function is called for it. A SlessError. */
  readonly problem?: Error;
  /** It has been dealt with. */
  ack(): void;
  /** Back to where it was, not tried; or, where the queue would not take it back for ever, to where it is delivered again to the same owner. */
  release(): void;
  /**
   * Delivered again after `delayMs`, with `attempts` one higher, to the same owner. Nothing else waits for it. Resolves when the copy is
   * safe and the original gone. Fails with a SlessError, and the message is still this consumer's.
   */
  retry(delayMs: number): Promise<void>;
  /** Into the dead-letter queue, with these headers beside its own, counted in `DEAD_LETTERINGS`, and as safely as `retry`. */
  deadLetter(headers: Readonly<Record<string, string | number>>): Promise<void>;
  /** The same, but into the parking queue of its owner. */
  park(headers: Readonly<Record<string, string | number>>): Promise<void>;
}

/** The header that counts how often a message has become a dead letter, through all the queues that it has passed. */
export const DEAD_LETTERINGS = 'x-sless-dead-letterings';

/** Where messages end that go round and round: nobody consumes it, and it is made durable where it does not exist. */
export const parkingQueueOf = (owner: string): string => `sless.parked.${owner}`;

/** Where messages come from. The address is asked for at every connect: credentials change. */
export interface BrokerAddress {
  /** The same id is the same broker, used by the same tenant: those share connections. */
  readonly id: string;
  /** Fails with a SlessError that says why there is none. */
  url(): Promise<string>;
  /** Whether it is the installation's own, and not one that a tenant brought. */
  readonly shared?: true;
}

/** What to consume. All names are final. */
export interface Subscription {
  /** Whose retries these are: unique, `{namespace}.{trigger}`. */
  readonly owner: string;
  readonly broker: BrokerAddress;
  readonly queue: string;
  /** The queue as its owner names it, where that is another name. */
  readonly named?: string;
  /** Made durable where it does not exist. */
  readonly deadLetterQueue: string;
  /** Messages handed over and not ended, at most, of the queue; and again as many that are tried again. */
  readonly prefetch: number;
}

/** Whether messages come; with a `problem` beside it they do, and cannot be put away at present (`BrokerBlocked`). `problem` is a SlessError: `QueueNotFound`, `QueueRefused`, `BrokerUnavailable`, `BrokerRefused`… */
export type BusState =
  | { readonly connected: true; readonly problem?: Error }
  | { readonly connected: false; readonly problem: Error };

/** Who receives. */
export interface BusListener {
  delivered(delivery: Delivery): void;
  /** What was handed over and not ended is `lost`: to be released, that its bytes may be freed. */
  lost?(): void;
  /** Told on every change, and of every problem anew. */
  changed(state: BusState): void;
}

/** A running consumer. It mends itself: connects again, subscribes again, looks for its queue again. */
export interface BusConsumer {
  /** No new messages until `resume`, from when it resolves; what was handed over stays so. */
  pause(): Promise<void>;
  /** With at most so many in hand, where that is fewer than the prefetch. Said again without a pause, it changes how many. */
  resume(most?: number): void;
  /** Ends it. What was handed over and not ended goes back. */
  close(): Promise<void>;
}

/** Queues of messages, of which each is delivered until somebody has said how it went: at least once. */
export interface MessageBus {
  consume(subscription: Subscription, listener: BusListener): BusConsumer;
  /** Ends all consumers and connections. */
  close(): Promise<void>;
}

/** A bus of our own, to which the REST API publishes. */
export interface EventPublisher {
  /** Resolves when the message is safe. A queue that does not exist comes to be. */
  publish(
    queue: string,
    message: Pick<Delivery, 'body'> & { readonly properties?: Partial<MessageProperties> },
  ): Promise<void>;
}
