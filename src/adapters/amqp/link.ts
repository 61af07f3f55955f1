import { setTimeout as sleep } from 'node:timers/promises';
import { type ChannelModel, connect, type RecoveringChannelModel } from 'amqplib';
import { isSlessError, SlessError } from '../../errors.ts';
import { brokerProblem } from './refusal.ts';

/** Who uses a connection. */
export interface LinkUser {
  up(model: ChannelModel): void;
  /** Told on every loss, and on every connect that failed. All channels are gone. */
  down(problem: SlessError): void;
  /** The broker has stopped reading this connection, for the reason that it gives; `undefined` when it reads again. */
  blocked?(reason: string | undefined): void;
}

interface LinkOptions {
  readonly url: () => Promise<string>;
  /** Shown among the broker's connections. */
  readonly name: string;
  /** Told, before its users are, that it is up; those that it has no channels for may be moved. */
  readonly opened?: (model: ChannelModel) => void;
  /** Told when messages that cannot be read broke it repeatedly; after its users were told that it is down. */
  readonly unreadable?: (problem: SlessError) => void;
}

/** A half-open connection is noticed after two of these without a word. */
const HEARTBEAT_SECONDS = 10;
const CONNECT_MS = 10_000;
const RECOVERY = { initialDelay: 100, maxDelay: 5000, factor: 2, jitter: 0.3, waitForConnect: false };
/** So often is an address looked at: a password that was changed is obeyed before anyone has to ask why it is not. */
const LOOK_MS = 20_000;
const ADDRESS_RETRY_MS = 5000;
const CLOSE_MS = 2000;
/** Broken twice within this by what cannot be read: not chance, but a message that the broker hands over anew. */
const SUSPICIOUS_MS = 60_000;

/** One connection to a broker, made again whenever it is lost, and with another address when that has changed. */
export class Link {
  readonly users = new Set<LinkUser>();
  readonly #options: LinkOptions;
  #address: string | undefined;
  #recovering: RecoveringChannelModel | undefined;
  #model: ChannelModel | undefined;
  #problem: SlessError | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** Why the broker does not read it at present. */
  #blockedFor: string | undefined;
  #closed = false;
  #unreadableAt = Number.NEGATIVE_INFINITY;

  constructor(options: LinkOptions) {
    this.#options = options;
    void this.#look();
  }

  /** Whether a message that cannot be read broke it lately. */
  get isSuspect(): boolean {
    return performance.now() - this.#unreadableAt < SUSPICIOUS_MS;
  }

  add(user: LinkUser): void {
    this.users.add(user);
    if (this.#model !== undefined) {
      user.up(this.#model);
      if (this.#blockedFor !== undefined) user.blocked?.(this.#blockedFor);
    } else if (this.#problem !== undefined) user.down(this.#problem);
  }

  remove(user: LinkUser): void {
    this.users.delete(user);
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    this.users.clear();
    // A broker that does not answer shall not keep a process from ending.
    await Promise.race([this.#recovering?.close(), sleep(CLOSE_MS, undefined, { ref: false })]);
  }

  /** Connects to the address of now; every later look finds out whether it is still that. */
  async #look(): Promise<void> {
    clearTimeout(this.#timer);
    let wait = LOOK_MS;
    try {
      const address = await this.#options.url();
      if (!this.#closed && address !== this.#address) await this.#connect(address);
    } catch (error) {
      wait = ADDRESS_RETRY_MS;
      if (!this.#closed) this.#unaddressed(error);
    }
    if (this.#closed) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#look(), wait);
  }

  async #connect(address: string): Promise<void> {
    this.#address = address;
    this.#leave();
    if (this.#model !== undefined)
      this.#down(new SlessError('BrokerUnavailable', 'the broker has another address now'));
    const recovering = await connect(withHeartbeat(address), {
      noDelay: true,
      keepAlive: true,
      timeout: CONNECT_MS,
      clientProperties: { connection_name: this.#options.name },
      recovery: RECOVERY,
    });
    if (this.#closed || this.#address !== address) return void recovering.close();
    this.#recovering = recovering;
    const when =
      <A extends unknown[]>(act: (...args: A) => void) =>
      (...args: A): void => {
        if (this.#recovering === recovering && !this.#closed) act(...args);
      };
    recovering.on('error', () => {}); // what follows says it again
    recovering.on(
      'connect',
      when((model) => this.#up(model)),
    );
    recovering.on(
      'disconnect',
      when((error) => {
        this.#down(error);
        if (isUnreadable(error)) this.#broken(error);
      }),
    );
    recovering.on(
      'blocked',
      when((reason) => this.#blocked(String(reason))),
    );
    recovering.on(
      'unblocked',
      when(() => this.#blocked(undefined)),
    );
    recovering.on(
      'connect-failed',
      when((error) => {
        this.#down(error);
        void this.#look();
      }),
    );
  }

  /** A definite no takes back what was allowed. Of a look-up that failed nobody knows what it would have said: what is connected stays. */
  #unaddressed(error: unknown): void {
    const isTaken = isSlessError(error, 'BrokerSecretInvalid');
    if (isTaken) {
      this.#address = undefined;
      this.#leave();
    }
    if (isTaken || this.#model === undefined) this.#down(error);
  }

  /** Leaves the address of before. */
  #leave(): void {
    const before = this.#recovering;
    this.#recovering = undefined;
    void before?.close();
  }

  #blocked(reason: string | undefined): void {
    this.#blockedFor = reason;
    for (const user of [...this.users]) user.blocked?.(reason);
  }

  #broken(error: Error): void {
    const isRepeated = this.isSuspect;
    this.#unreadableAt = performance.now();
    const problem = new SlessError(
      'MessageUnreadable',
      'a message of the queue cannot be read and breaks the connection: remove it; meanwhile one message at a time is taken',
      { cause: error },
    );
    if (isRepeated) this.#options.unreadable?.(problem);
  }

  #up(model: ChannelModel): void {
    this.#model = model;
    this.#problem = undefined;
    this.#options.opened?.(model);
    for (const user of [...this.users]) user.up(model);
  }

  #down(error: unknown): void {
    this.#model = undefined;
    this.#blockedFor = undefined;
    this.#problem = brokerProblem(error);
    for (const user of [...this.users]) user.down(this.#problem);
  }
}

/** What the library's decoder throws. Trouble of networks and refusals of brokers are plain Errors. */
const isUnreadable = (error: unknown): error is Error =>
  error instanceof RangeError || error instanceof TypeError;

/** @throws SlessError without a word of the URL, which holds a password */
function withHeartbeat(text: string): string {
  const url = URL.parse(text);
  if (url === null || !/^amqps?:$/.test(url.protocol))
    throw new SlessError('BrokerRefused', "the broker's URL must begin with amqp:// or amqps://");
  if (!url.searchParams.has('heartbeat')) url.searchParams.set('heartbeat', String(HEARTBEAT_SECONDS));
  return url.href;
}
