import { FORBIDDEN, invalidAnswer } from './response-head.ts';

/** Where the data of chunks goes. */
export type ChunkSink = (buffer: Buffer, start: number, end: number) => void;

/** A size line is a few digits; extensions are read over, within this. */
const MAX_SIZE_LINE = 4096;
const MAX_TRAILERS = 65_536;
/** Hexadecimal digits: 2^52 − 1, so sums stay exact. */
const SIZE_LINE = /^([0-9A-Fa-f]{1,13})[\t ]*(?:;[\t\x20-\x7e\x80-\xff]*)?$/;
const TRAILER = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+:[\t\x20-\x7e\x80-\xff]*$/;
const CR = 13;
const LF = 10;

type State = 'size' | 'data' | 'dataEnd' | 'trailers' | 'done';

/** Reads a body in chunks (RFC 9112 §7.1), strictly: CRLF everywhere, nothing but digits as sizes. Trailers are dropped. */
export class ChunkedBody {
  #state: State = 'size';
  /** What has come of a line that is not complete yet. */
  #line = '';
  #left = 0;
  #trailers = 0;
  readonly #sink: ChunkSink;

  constructor(sink: ChunkSink) {
    this.#sink = sink;
  }

  get done(): boolean {
    return this.#state === 'done';
  }

  /** Takes bytes and answers the position behind what belongs to the body. Throws `UpstreamInvalid`. */
  execute(buffer: Buffer, start: number, end: number): number {
    let at = start;
    while (at < end && this.#state !== 'done') {
      if (this.#state === 'data') at = this.#data(buffer, at, end);
      else if (this.#state === 'dataEnd') at = this.#dataEnd(buffer, at);
      else at = this.#lineOf(buffer, at, end);
    }
    return at;
  }

  #data(buffer: Buffer, at: number, end: number): number {
    const stop = Math.min(end, at + this.#left);
    this.#sink(buffer, at, stop);
    this.#left -= stop - at;
    if (this.#left === 0) this.#state = 'dataEnd';
    return stop;
  }

  /** The CRLF behind a chunk, which may come in two reads. */
  #dataEnd(buffer: Buffer, at: number): number {
    const wanted = this.#line === '' ? CR : LF;
    if (buffer[at] !== wanted) throw invalidAnswer('a chunk is not followed by CRLF');
    this.#line = wanted === CR ? '\r' : '';
    if (wanted === LF) this.#state = 'size';
    return at + 1;
  }

  #lineOf(buffer: Buffer, at: number, end: number): number {
    const found = buffer.indexOf(LF, at);
    const stop = found < 0 || found >= end ? end : found + 1;
    const limit = this.#state === 'size' ? MAX_SIZE_LINE : MAX_TRAILERS;
    if (this.#line.length + stop - at > limit)
      throw invalidAnswer('a chunk line or its trailers are too long');
    this.#line += buffer.toString('latin1', at, stop);
    if (found < 0 || found >= end) {
      // Whatever follows could not mend it, so the answer does not wait for more.
      if (FORBIDDEN.test(this.#line.endsWith('\r') ? this.#line.slice(0, -1) : this.#line)) throw badLine();
      return stop;
    }
    if (!this.#line.endsWith('\r\n')) throw badLine();
    const line = this.#line.slice(0, -2);
    this.#line = '';
    if (this.#state === 'size') this.#size(line);
    else this.#trailer(line);
    return stop;
  }

  #size(line: string): void {
    const digits = SIZE_LINE.exec(line)?.[1];
    if (digits === undefined) throw invalidAnswer('a chunk size is malformed');
    this.#left = Number.parseInt(digits, 16);
    this.#state = this.#left === 0 ? 'trailers' : 'data';
  }

  #trailer(line: string): void {
    if (line === '') {
      this.#state = 'done';
      return;
    }
    this.#trailers += line.length + 2;
    if (this.#trailers > MAX_TRAILERS) throw invalidAnswer('its trailers are too long');
    if (!TRAILER.test(line)) throw invalidAnswer('a trailer is malformed');
  }
}

const badLine = () => invalidAnswer('a chunk line has control characters or bare line ends');
