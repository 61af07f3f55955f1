'use strict';
// Results that come in pieces: streams and generators, read one piece at a time.

const { badResult } = require('./refusal.cjs');

/** Owns the iterator of a stream. `next` gives a text, a Buffer, or undefined at the end; `close` may come any time. */
class Pieces {
  #iterator;
  #closed = false;

  constructor(source) {
    this.#iterator = source[Symbol.asyncIterator]?.() ?? source[Symbol.iterator]();
  }

  /** The next piece that is not empty. Throws what the function throws, and Refusal for what is no piece. */
  async next() {
    for (;;) {
      const { done, value } = await this.#iterator.next();
      if (done) {
        this.#closed = true;
        return undefined;
      }
      const piece = pieceOf(value);
      if (piece.length > 0) return piece;
    }
  }

  /** Runs the function's `finally` blocks. Throws what they throw. */
  async close() {
    if (this.#closed) return;
    this.#closed = true;
    await this.#iterator.return?.();
  }
}

function pieceOf(value) {
  if (typeof value === 'string' || Buffer.isBuffer(value)) return value;
  const bytes =
    typeof value === 'object' && value !== null ? require('./answer.cjs').bytesOf(value) : undefined;
  if (bytes) return bytes;
  const kind = value === null ? 'null' : typeof value;
  throw badResult(`A piece of the function's stream must be a text or bytes, not ${kind}.`);
}

module.exports = { Pieces };
