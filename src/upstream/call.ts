import { SlessError } from '../errors.ts';
import type { Connection, ConnectionUser } from './connection.ts';
import type { Endpoint } from './endpoint.ts';
import { brokenOff, type ResponseHead } from './response-head.ts';
import type { SwitchedConnection, UpstreamCall, UpstreamEvents, UpstreamRequest } from './upstream.ts';

/** What a call needs of its pool. */
export interface CallPool {
  /** The best pod for a call that has tried those already. */
  pick(tried: readonly Endpoint[]): Endpoint | undefined;
}

/** Methods whose repetition changes nothing (RFC 9110 §9.2.2). */
const IDEMPOTENT = new Set([
  'GET',
  'HEAD',
  'OPTIONS',
  'TRACE',
  'PUT',
  'DELETE',
  'PROPFIND',
  'REPORT',
  'SEARCH',
]);
/** Pods tried by one call before it says that nothing is to be reached. */
const MAX_PODS = 4;

/**
 * One call: finds a connection, and another one as long as no byte of the request can have been executed. That is
 * when the connect failed, or when a connection that was reused ended without a byte of answer to a request which is
 * idempotent and whole at hand. Anything else is never sent twice.
 */
export class Call implements UpstreamCall, ConnectionUser {
  readonly #pool: CallPool;
  readonly #request: UpstreamRequest;
  readonly #events: UpstreamEvents;
  readonly #tried: Endpoint[] = [];
  readonly #repeatable: boolean;
  #endpoint: Endpoint | undefined;
  #connection: Connection | undefined;
  #reused = false;
  #answered = false;
  #retried = false;
  #over = false;
  #switched = false;

  constructor(pool: CallPool, request: UpstreamRequest, events: UpstreamEvents) {
    this.#pool = pool;
    this.#request = request;
    this.#events = events;
    this.#repeatable = !request.streamed && !request.upgrade && IDEMPOTENT.has(request.method);
  }

  start(): void {
    const endpoint = this.#tried.length < MAX_PODS ? this.#pool.pick(this.#tried) : undefined;
    if (endpoint === undefined) {
      this.#fail(new SlessError('UpstreamUnreachable', 'no pod of the function can be reached'));
      return;
    }
    this.#endpoint = endpoint;
    endpoint.inFlight += 1;
    const fresh = this.#request.upgrade || this.#retried;
    const idle = fresh ? undefined : endpoint.take(this.#repeatable);
    if (idle === undefined) this.#connect(endpoint);
    else this.#begin(idle, true);
  }

  write(bytes: Buffer | string, done: () => void): void {
    if (!this.#over) this.#connection?.write(bytes, done);
  }

  cork(): void {
    if (!this.#over) this.#connection?.cork();
  }

  uncork(): void {
    if (!this.#over) this.#connection?.uncork();
  }

  finish(): void {
    if (!this.#over) this.#connection?.finish();
  }

  resume(): void {
    if (!this.#over) this.#connection?.resume();
  }

  abort(): void {
    if (this.#over) return;
    this.#finish();
    this.#connection?.destroy();
  }

  information(head: ResponseHead): void {
    this.#answered = true;
    this.#events.information(head);
  }

  head(head: ResponseHead): void {
    this.#answered = true;
    this.#events.head(head);
  }

  body(bytes: Buffer, lent: boolean): void {
    this.#events.body(bytes, lent);
  }

  flush(): boolean {
    this.#answered = true;
    return this.#events.flush();
  }

  end(): boolean {
    this.#finish();
    return this.#events.end();
  }

  switched(head: ResponseHead, connection: SwitchedConnection): void {
    this.#over = true;
    this.#switched = true;
    this.#events.switched(head, connection);
  }

  broken(error: Error): void {
    if (this.#switched) this.#leave();
    if (this.#over) return;
    if (this.#reused && this.#repeatable && !this.#answered) {
      this.#retried = true;
      this.#leave();
      this.start();
      return;
    }
    this.#fail(error instanceof SlessError ? error : brokenOff(this.#answered, error));
  }

  #connect(endpoint: Endpoint): void {
    this.#connection = endpoint.connect({
      opened: (connection) => {
        if (this.#over) connection.destroy();
        else this.#begin(connection, false);
      },
      unreached: () => this.#unreached(endpoint),
    });
  }

  #begin(connection: Connection, reused: boolean): void {
    this.#connection = connection;
    this.#reused = reused;
    connection.begin(this.#request, this);
    this.#events.ready(this);
  }

  #unreached(endpoint: Endpoint): void {
    if (this.#over) return;
    this.#tried.push(endpoint);
    this.#leave();
    this.start();
  }

  #fail(error: SlessError): void {
    this.#finish();
    this.#events.failed(error);
  }

  #finish(): void {
    this.#over = true;
    this.#leave();
  }

  #leave(): void {
    if (this.#endpoint !== undefined) this.#endpoint.inFlight -= 1;
    this.#endpoint = undefined;
  }
}

/** Starts a call; its first events may come before this returns. */
export function startCall(pool: CallPool, request: UpstreamRequest, events: UpstreamEvents): Call {
  const call = new Call(pool, request, events);
  call.start();
  return call;
}
