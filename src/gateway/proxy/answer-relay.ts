import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ResponseHead } from '../../upstream/response-head.ts';
import { type AnswerContext, informationFields, responseFields } from './front/response-fields.ts';

/** Pieces up to here are copied into a string, which goes out in one write with the head. */
const INLINE = 16 * 1024;

/** Passes a function's answer on to the caller. */
export class AnswerRelay {
  bytes = 0;
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #resume: () => void;
  #head: ResponseHead | undefined;
  #context: AnswerContext | undefined;
  #flushed = false;
  #ended = false;
  #waiting = false;

  /** `resume` is called when the caller has taken what `flush` said false about. */
  constructor(request: IncomingMessage, response: ServerResponse, resume: () => void) {
    this.#request = request;
    this.#response = response;
    this.#resume = resume;
  }

  /** An interim answer. It is left out where the caller cannot understand it or has not had its earlier answers. */
  information(head: ResponseHead, sharedHost: boolean): void {
    const { socket } = this.#response;
    if (this.#request.httpVersion !== '1.1' || !socket?.writable || this.#response.headersSent) return;
    socket.write(
      `HTTP/1.1 ${head.status} ${head.reason}\r\n${informationFields(head, sharedHost)}\r\n`,
      'latin1',
    );
  }

  /** The head waits for what came with it: where that is no body, another answer can still be given. */
  head(head: ResponseHead, context: AnswerContext): void {
    this.#head = head;
    this.#context = context;
  }

  /** Whether something of the answer is on its way to the caller. */
  get begun(): boolean {
    return this.#head !== undefined && this.#context === undefined;
  }

  #begin(): void {
    if (this.#head === undefined || this.#context === undefined) return;
    const { status, reason } = this.#head;
    this.#response.writeHead(status, reason, responseFields(this.#head, this.#context));
    this.#context = undefined;
  }

  body(bytes: Buffer, lent: boolean): void {
    this.#begin();
    this.bytes += bytes.length;
    const last = this.#head?.framing === 'length' && this.bytes === this.#head.length;
    if (last) this.#ended = true;
    const response = this.#response;
    if (bytes.length <= INLINE) {
      const text = bytes.toString('latin1', 0, bytes.length);
      if (last) response.end(text, 'latin1');
      else response.write(text, 'latin1', this.#written);
    } else {
      const kept = lent ? bytes : Buffer.from(bytes);
      if (last) response.end(kept);
      else response.write(kept, this.#written);
    }
    this.#flushed = true;
  }

  /** Whether more can be taken; else `resume` follows. */
  flush(): boolean {
    // Interim answers are bounded in number and size; `resume` would not follow behind them.
    if (this.#head === undefined) return true;
    this.#begin();
    const response = this.#response;
    if (!this.#flushed) {
      response.flushHeaders();
      this.#flushed = true;
    }
    // Node holds writes back until the end of the turn; only now can be seen whether they leave at once.
    response.socket?.uncork();
    this.#waiting = response.writableLength > 0;
    return !this.#waiting;
  }

  /** Whether everything has left this process. */
  end(): boolean {
    this.#begin();
    if (!this.#ended) this.#response.end();
    this.#ended = true;
    return this.#response.writableLength === 0;
  }

  readonly #written = (): void => {
    if (!this.#waiting || this.#response.writableLength > 0) return;
    this.#waiting = false;
    this.#resume();
  };
}
