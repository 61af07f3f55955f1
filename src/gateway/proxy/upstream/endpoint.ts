import { Connection, type ConnectionOwner } from './connection.ts';
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
  readonly idleTimeoutMs: number;
  readonly buffers: ReadBuffers;
  readonly now: () => number;
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

  /** Whether it is left alone after a failed connect. When that time is over one call may try; others wait on. */
  avoided(now: number): boolean {
    if (this.#avoidUntil === 0) return false;
    if (now < this.#avoidUntil) return true;
    this.#avoidUntil = now + this.#backoff;
    return false;
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
  connect(caller: Pick<ConnectionOwner, 'opened' | 'gone'>): Connection {
    let waiting: typeof caller | undefined = caller;
    return new Connection(
      this.address,
      {
        opened: (connection) => {
          this.#avoidUntil = 0;
          this.#backoff = 0;
          connection.usedSince = this.#settings.now();
          waiting?.opened(connection);
          waiting = undefined;
        },
        released: (connection) => this.#keep(connection),
        gone: (connection, error) => {
          this.#drop(connection);
          waiting?.gone(connection, error);
        },
      },
      this.#settings.buffers,
    );
  }

  /** A connect failed or took too long. */
  failed(): void {
    this.#backoff = Math.min(MAX_BACKOFF_MS, this.#backoff * 2 || FIRST_BACKOFF_MS);
    this.#avoidUntil = this.#settings.now() + this.#backoff;
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
