import type { Socket } from 'node:net';
import type { SlessError } from '../errors.ts';
import type { ResponseHead } from './response-head.ts';

/** A request that is ready to be written. */
export interface UpstreamRequest {
  readonly method: string;
  /** Request line and header lines with the empty line that ends them, in Latin-1. */
  readonly head: string;
  /** The whole body, when it is at hand. It is never changed afterwards. */
  readonly body: Buffer | undefined;
  /** Whether the body is written piece by piece once `ready` came, framing and all. Excludes `body`. */
  readonly streamed: boolean;
  /** Whether the head asks for another protocol. */
  readonly upgrade: boolean;
}

/** What a call tells, in this order: `ready`, any `information`, then `head`, `body`…, `end`, or `switched`; `failed` at any time. */
export interface UpstreamEvents {
  /** A streamed body may be written now: the request's head is on its way. May come before `call` returns. */
  ready(call: UpstreamCall): void;
  /** An interim answer (102, 103…). */
  information(head: ResponseHead): void;
  head(head: ResponseHead): void;
  /** A piece of the body. Unless `lent`, the bytes are gone when this returns; else when `flush` or `end` does. */
  body(bytes: Buffer, lent: boolean): void;
  /** All that has arrived was told. False: nothing more until `resume`, and lent bytes stay until then. */
  flush(): boolean;
  /** The response is complete, nothing follows. False: lent bytes are still read from. */
  end(): boolean;
  /** The pod answered 101. Nothing follows; the connection belongs to the receiver. */
  switched(head: ResponseHead, connection: SwitchedConnection): void;
  /** `UpstreamUnreachable` (nothing was executed) or `UpstreamInvalid`. Nothing follows. */
  failed(error: SlessError): void;
}

/** A call on its way. After its end all methods do nothing. */
export interface UpstreamCall {
  /** Writes a piece of a streamed body; `done` comes once the bytes have left this process. */
  write(bytes: Buffer | string, done: () => void): void;
  /** Holds writes back until `uncork`, so that they leave in one go. */
  cork(): void;
  uncork(): void;
  /** The streamed body is complete. */
  finish(): void;
  /** More of the response's body, please. */
  resume(): void;
  /** Frees everything at once. No event follows. */
  abort(): void;
}

/** A connection that speaks another protocol now. */
export interface SwitchedConnection {
  /** To be called within `switched`. Bytes that came behind the 101, then every further read; they are gone when it returns. Returns whether to go on. */
  receive(onBytes: (bytes: Buffer) => boolean): void;
  resume(): void;
  /** For everything but reading. */
  readonly socket: Pick<Socket, 'write' | 'end' | 'destroy' | 'on'>;
}

/** Calls the pods of one function. */
export interface Upstream {
  call(request: UpstreamRequest, events: UpstreamEvents): UpstreamCall;
}
