import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { CallSpan } from '../../ports/tracer.ts';
import type { Peer } from '../caller/peers.ts';
import type { Route } from './routes/route.ts';

/** How a request's body ends. */
export type BodyFraming =
  | { readonly kind: 'none' }
  | { readonly kind: 'length'; readonly length: number }
  | { readonly kind: 'chunked' };

/** A caller that asks for another protocol. */
export interface UpgradeWish {
  readonly protocol: string;
  readonly socket: Socket;
  /** Everything that the caller has sent so far; what follows is the taker's to read. */
  takeEarly(): Buffer;
}

/** A request that was let in: its call is counted already, unless it has a small body. */
export interface Admitted {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly route: Route;
  /** What the function sees of the target. */
  readonly path: string;
  /** `/fn/{namespace}/{name}`, absent where a host stands for the function. */
  readonly prefix: string | undefined;
  readonly framing: BodyFraming;
  /** Whose upload it counts as, where its body is carried while it comes. */
  readonly uploader: string | undefined;
  readonly peer: Peer;
  readonly requestId: string;
  /** What the function is told of the trace, and whether its caller began it. */
  readonly traceparent: string;
  readonly traced: boolean;
  /** What is told of it to a collector of traces. */
  readonly span: CallSpan | undefined;
  readonly sharedHost: boolean;
  /** Whether the caller waits for `100 Continue`. */
  readonly expectsContinue: boolean;
  readonly upgrade: UpgradeWish | undefined;
}
