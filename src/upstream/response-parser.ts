import { ChunkedBody } from './chunked-body.ts';
import {
  brokenOff,
  FORBIDDEN,
  invalidAnswer,
  parseResponseHead,
  type ResponseHead,
} from './response-head.ts';

/** What a response says, piece by piece. Positions are valid during the call alone. */
export interface ParserSink {
  /** An interim answer; never 100 (it has no meaning to whoever asked) nor a 101. */
  information(head: ResponseHead): void;
  head(head: ResponseHead): void;
  body(buffer: Buffer, start: number, end: number): void;
}

const MAX_HEAD = 65_536;
/** Most heads are well below this; looking at less of a large read saves turning its body into text. */
const FIRST_LOOK = 2048;
/** Real servers send one or two. */
const MAX_INFORMATION = 16;
const HEAD_END = '\r\n\r\n';
const PROTOCOL = 'HTTP/1.';

/** Reads one response after another from the bytes of a connection. All errors are `UpstreamInvalid`. */
export class ResponseParser {
  readonly #sink: ParserSink;
  #head: ResponseHead | undefined;
  /** The beginning of a head whose end has not come. */
  #partial = '';
  #left = 0;
  #chunks: ChunkedBody | undefined;
  #information = 0;
  #toHead = false;
  #upgrade = false;
  #complete = true;

  constructor(sink: ParserSink) {
    this.#sink = sink;
  }

  /** The next bytes answer a request of this method. */
  expect(method: string, upgrade: boolean): void {
    this.#head = undefined;
    this.#chunks = undefined;
    this.#information = 0;
    this.#toHead = method === 'HEAD';
    this.#upgrade = upgrade;
    this.#complete = false;
  }

  /** Whether the response that was expected is complete. */
  get complete(): boolean {
    return this.#complete;
  }

  /** Takes bytes and answers the position behind what belongs to the response. Throws. */
  execute(buffer: Buffer, start: number, end: number): number {
    let at = start;
    while (at < end && !this.#complete) {
      at = this.#head === undefined ? this.#readHead(buffer, at, end) : this.#readBody(buffer, at, end);
    }
    return at;
  }

  /** The connection has ended. Throws unless that completes the response. */
  finish(): void {
    if (this.#complete) return;
    if (this.#head?.framing !== 'close') throw brokenOff(this.#head !== undefined);
    this.#complete = true;
  }

  #readHead(buffer: Buffer, start: number, end: number): number {
    let stop = Math.min(end, start + FIRST_LOOK);
    while (true) {
      const before = this.#partial.length;
      const text = this.#partial + buffer.toString('latin1', start, stop);
      const found = text.indexOf(HEAD_END, Math.max(0, before - 3));
      if (found > MAX_HEAD || (found < 0 && text.length > MAX_HEAD + HEAD_END.length)) {
        throw invalidAnswer(`its head is larger than ${MAX_HEAD} bytes`);
      }
      if (found >= 0) {
        this.#partial = '';
        this.#take(parseResponseHead(text.slice(0, found), this.#toHead));
        return start + found + HEAD_END.length - before;
      }
      if (stop === end) {
        this.#keep(text);
        return end;
      }
      stop = end;
    }
  }

  /** Keeps an incomplete head, unless nothing that follows could make it a good one. */
  #keep(text: string): void {
    if (!text.startsWith(PROTOCOL) && !PROTOCOL.startsWith(text))
      throw invalidAnswer('it does not begin with HTTP/1');
    if (FORBIDDEN.test(text.endsWith('\r') ? text.slice(0, -1) : text)) {
      throw invalidAnswer('its head has control characters or bare line ends');
    }
    this.#partial = text;
  }

  #take(head: ResponseHead): void {
    if (head.status < 200 && head.status !== 101) {
      this.#information += 1;
      if (this.#information > MAX_INFORMATION) throw invalidAnswer('it has too many interim answers');
      if (head.status !== 100) this.#sink.information(head);
      return;
    }
    if (head.status === 101 && !this.#upgrade) throw invalidAnswer('it switches protocols unasked');
    this.#head = head;
    this.#left = head.framing === 'length' ? (head.length ?? 0) : 0;
    if (head.framing === 'chunked') {
      this.#chunks = new ChunkedBody((buffer, start, end) => this.#sink.body(buffer, start, end));
    }
    this.#complete = head.framing === 'none' || (head.framing === 'length' && this.#left === 0);
    this.#sink.head(head);
  }

  #readBody(buffer: Buffer, start: number, end: number): number {
    if (this.#chunks !== undefined) {
      const at = this.#chunks.execute(buffer, start, end);
      this.#complete = this.#chunks.done;
      return at;
    }
    if (this.#head?.framing === 'close') {
      this.#sink.body(buffer, start, end);
      return end;
    }
    const stop = Math.min(end, start + this.#left);
    this.#left -= stop - start;
    this.#complete = this.#left === 0;
    this.#sink.body(buffer, start, stop);
    return stop;
  }
}
