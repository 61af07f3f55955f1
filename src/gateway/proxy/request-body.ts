import type { IncomingMessage } from 'node:http';
import type { UpstreamCall } from '../../upstream/upstream.ts';
import type { BodyFraming } from './admitted.ts';
import { linger } from './refusal.ts';

/** Bodies of known length up to here are collected first: the function is not kept waiting by a slow caller. */
const COLLECTED_BODY = 64 * 1024;

/** Whether a body is collected before its function hears of the call. */
export function isCollected(framing: BodyFraming): boolean {
  return framing.kind === 'length' && framing.length > 0 && framing.length <= COLLECTED_BODY;
}

/** Whether a body is carried to the function while it comes. */
export function isStreamed(framing: BodyFraming): boolean {
  return framing.kind === 'chunked' || (framing.kind === 'length' && framing.length > COLLECTED_BODY);
}

/** What comes of collecting. */
export interface Collecting {
  /** May what came of a body that is not whole be kept, so many bytes in this piece? */
  keep(bytes: number): boolean;
  done(body: Buffer): void;
}

/** Collects a body of known, small length; most come in one piece. */
export function collectBody(request: IncomingMessage, length: number, { keep, done }: Collecting): void {
  const pieces: Buffer[] = [];
  let received = 0;
  const collect = (piece: Buffer): void => {
    received += piece.length;
    if (received >= length) done(pieces.length === 0 ? piece : Buffer.concat([...pieces, piece]));
    else if (keep(piece.length)) pieces.push(piece);
    else request.off('data', collect);
  };
  request.on('data', collect);
}

/** What a pump tells. */
export interface PumpEvents {
  /** Something moved. `idle` says who is waited for now. */
  progress(waitingFor: 'caller' | 'function'): void;
  tooLarge(): void;
  /** The body has been handed over whole. */
  done(): void;
}

export interface PumpOptions {
  readonly chunked: boolean;
  /** Bytes. */
  readonly limit: number;
}

/** Writes are held back until so much is there or the turn of the event loop ends: few large writes cost less. */
const BATCH = 256 * 1024;
/** Bytes that have not left this process: beyond, the caller is not read from. */
const HIGH_WATER = 256 * 1024;

/** Carries a large or open-ended request body to the function, no faster than the function takes it. */
export class BodyPump {
  bytes = 0;
  readonly #request: IncomingMessage;
  readonly #call: UpstreamCall;
  readonly #options: PumpOptions;
  readonly #events: PumpEvents;
  #pending = 0;
  #batch = 0;
  #corked = false;
  #over = false;

  constructor(
    source: { request: IncomingMessage; call: UpstreamCall },
    options: PumpOptions,
    events: PumpEvents,
  ) {
    this.#request = source.request;
    this.#call = source.call;
    this.#options = options;
    this.#events = events;
  }

  start(): void {
    this.#request.on('data', this.#onData);
    this.#request.once('end', this.#onEnd);
  }

  get over(): boolean {
    return this.#over;
  }

  /** Carries no more. */
  stop(): void {
    this.#over = true;
    this.#request.off('data', this.#onData);
    this.#request.off('end', this.#onEnd);
  }

  /** The answer is complete and the body is not: a bounded part of it is read away, then the connection closes. */
  discard(): void {
    this.stop();
    const { socket } = this.#request;
    linger(this.#request, () => {
      if (!this.#request.complete) socket.destroySoon();
    });
  }

  readonly #onData = (piece: Buffer): void => {
    this.bytes += piece.length;
    if (this.bytes > this.#options.limit) {
      this.stop();
      this.#events.tooLarge();
      return;
    }
    this.#hold();
    this.#pending += piece.length;
    this.#batch += piece.length;
    if (this.#options.chunked) this.#call.write(`${piece.length.toString(16)}\r\n`, ignore);
    this.#call.write(piece, () => this.#left(piece));
    if (this.#options.chunked) this.#call.write('\r\n', ignore);
    if (this.#batch >= BATCH) this.#release();
    if (this.#pending >= HIGH_WATER) this.#request.pause();
    this.#events.progress(this.#request.isPaused() ? 'function' : 'caller');
  };

  readonly #onEnd = (): void => {
    this.#over = true;
    if (this.#options.chunked) this.#call.write('0\r\n\r\n', ignore);
    this.#call.finish();
    this.#release();
    this.#events.done();
  };

  /** Until the end of this turn, or until there is enough. */
  #hold(): void {
    if (this.#corked) return;
    this.#corked = true;
    this.#call.cork();
    setImmediate(() => this.#release());
  }

  #release(): void {
    this.#batch = 0;
    if (!this.#corked) return;
    this.#corked = false;
    this.#call.uncork();
  }

  #left(piece: Buffer): void {
    this.#pending -= piece.length;
    free(piece);
    if (this.#over || this.#pending >= HIGH_WATER || !this.#request.isPaused()) return;
    this.#request.resume();
    this.#events.progress('caller');
  }
}

const ignore = (): void => {};

/** Gives memory back at once: the collector would let hundreds of megabytes gather during fast uploads. */
function free(piece: Buffer): void {
  const { buffer } = piece;
  if (buffer instanceof ArrayBuffer && buffer.byteLength === piece.byteLength) buffer.transfer(0);
}
