import { Connection } from './connection.ts';
import { createIdleTrust } from './idle-trust.ts';
import type { ReadBuffers } from './read-buffers.ts';

/** One pod of a function, as the pool is told of it. */
export interface EndpointAddress {
  /** The same id is the same pod. */
  readonly id: string;
  readonly address: string;
  readonly port: number;
}

export interface EndpointSettings {
  readonly connectTimeoutMs: number;
  readonly idleTimeoutMs: number;
  readonly buffers: ReadBuffers;
  readonly now: () => number;
}

/** Who waits for a connection: one of the two is called, once. */
export interface ConnectCaller {
  opened(connection: Connection): void;
  unreached(): void;
}

/** Idle connections of one pod beyond this are closed, the longest idle first. */
const MAX_IDLE = 128;
/** After a failed connect a pod is left alone: a second, doubled each time, half a minute at most. */
const FIRST_BACKOFF_MS = 1000;
const MAX_BACKOFF_MS = 30_000;

/** The connections to one pod. */
export class Endpoint {
  readonly address: EndpointAddress;
  /** Calls that were given to it and have not ended. */
  inFlight = 0;
  readonly #settings: EndpointSettings;
  readonly #trust = createIdleTrust();
  /** Longest idle first. */
  #idle: Connection[] = [];
  #retired = false;
  #avoidUntil = 0;
  #backoff = 0;

  constructor(address: EndpointAddress, settings: EndpointSettings) {
    this.address = address;
    this.#settings = settings;
  }

  /** Whether it is left alone after a failed connect. When that time is over the next connect is a trial; others wait on. */
  avoided(now: number): boolean {
    return now < this.#avoidUntil;
  }

  /** An idle connection that can carry a request, which may be one that cannot be repeated. */
  take(repeatable: boolean): Connection | undefined {
    let connection = this.#idle.at(-1);
    while (connection?.open === false) {
      this.#drop(connection);
      connection = this.#idle.at(-1);
    }
    if (connection === undefined) return undefined;
    const now = this.#settings.now();
    // Counted from the last request, not from its answer: a busy moment here may have kept the answer waiting, and
    // the pod has been counting since it was sent.
    if (!repeatable && now - connection.usedSince >= this.#trust.safeAge(now)) return undefined;
    this.#idle.pop();
    connection.usedSince = now;
    return connection;
  }

  /** A new connection. `caller` hears whether it came about, and nothing more: it must not live as long as that. */
  connect(caller: ConnectCaller): Connection {
    let waiting: ConnectCaller | undefined = caller;
    const failed = this.#trial();
    const timer = setTimeout(() => {
      failed();
      connection.destroy();
    }, this.#settings.connectTimeoutMs);
    const connection = new Connection(
      this.address,
      {
        opened: () => {
          clearTimeout(timer);
          this.#avoidUntil = 0;
          this.#backoff = 0;
          connection.usedSince = this.#settings.now();
          waiting?.opened(connection);
          waiting = undefined;
        },
        released: () => this.#keep(connection),
        gone: (_, error) => {
          clearTimeout(timer);
          this.#drop(connection);
          if (!connection.opened && error !== undefined) failed();
          waiting?.unreached();
        },
      },
      this.#settings.buffers,
    );
    return connection;
  }

  /**
   * A connect begins. What is returned is called if it fails, or takes too long. Connects that are under way together say
   * the same thing and count once; those made while the pod is avoided, because all others are too, say nothing new.
   */
  #trial(): () => void {
    const now = this.#settings.now();
    if (this.avoided(now)) return () => {};
    const before = this.#backoff;
    if (before > 0) this.#avoidUntil = now + before;
    return () => {
      if (this.#backoff !== before) return;
      this.#backoff = Math.min(MAX_BACKOFF_MS, before * 2 || FIRST_BACKOFF_MS);
      this.#avoidUntil = this.#settings.now() + this.#backoff;
    };
  }

  /** The pod is gone: what runs may end, nothing is kept. */
  retire(): void {
    this.#retired = true;
    const idle = this.#idle;
    this.#idle = [];
    for (const connection of idle) connection.destroy();
  }

  /**
   * Closes what was idle for too long and learns from what is still there. The ages were taken before the event
   * loop looked for closed sockets and are believed after it: else a busy moment would look like a patient pod.
   */
  sweep(): void {
    const oldest = this.#idle[0];
    if (oldest === undefined) return;
    const now = this.#settings.now();
    const age = now - oldest.idleSince;
    const since = oldest.idleSince;
    setImmediate(() => {
      if (oldest.open && oldest.idleSince === since && this.#idle[0] === oldest) this.#trust.survived(age);
    });
    while (this.#idle[0] !== undefined && now - this.#idle[0].idleSince > this.#settings.idleTimeoutMs) {
      this.#idle.shift()?.destroy();
    }
  }

  #keep(connection: Connection): void {
    if (this.#retired) {
      connection.destroy();
      return;
    }
    connection.idleSince = this.#settings.now();
    this.#trust.announced(connection.keepAliveSeconds);
    this.#idle.push(connection);
    if (this.#idle.length > MAX_IDLE) this.#idle.shift()?.destroy();
  }

  #drop(connection: Connection): void {
    const index = this.#idle.indexOf(connection);
    if (index < 0) return;
    this.#idle.splice(index, 1);
    const now = this.#settings.now();
    this.#trust.closed(now - connection.idleSince, now);
  }
}
