'use strict';
// Writes answers through Node's ServerResponse.

const { answerOfRefusal } = require('./answer.cjs');
const { sayError } = require('./log.cjs');

const BYTES_TYPE = 'application/octet-stream';
const TEXT_TYPE = 'text/plain; charset=utf-8';
// Beyond what the kernel takes without the caller reading.
const LARGE_BODY = 64 * 1024;
// The longest time in which nothing of a large body goes out.
const SENDING_MS = 75_000;
// How long an answer that ends the connection may travel before the rest of the request is cut off.
const CLOSING_MS = 2000;

/** Sends an answer whose body is known. `close` ends the connection after it. */
function send(res, answer, close) {
  if (res.destroyed) return;
  const { status, body } = answer;
  const length =
    res.req.method === 'HEAD' ? (answer.announced ?? Buffer.byteLength(body)) : Buffer.byteLength(body);
  // Without a body even its length is left out (RFC 9110, 8.6).
  const framing = status === 204 || status === 304 ? [] : ['Content-Length', length];
  res.writeHead(status, headersOf(answer, framing, close));
  // A caller that stops reading is cut off; small answers leave at once whoever reads them.
  if (length > LARGE_BODY) res.setTimeout(SENDING_MS);
  res.end(body);
}

function headersOf(answer, framing, close) {
  const type = answer.contentType === undefined ? [] : ['Content-Type', answer.contentType];
  return [...type, ...answer.headers, ...framing, ...(close ? ['Connection', 'close'] : [])];
}

/** Answers a request that has not been read whole. Closing with bytes unread would destroy the answer on its way. */
function sendAndClose(res, refusal) {
  const answer = answerOfRefusal(refusal);
  const { req } = res;
  res.writeHead(answer.status, headersOf(answer, ['Content-Length', Buffer.byteLength(answer.body)], true));
  if (req.complete) {
    res.end(answer.body);
    return;
  }
  if (req.method !== 'HEAD') res.write(answer.body);
  req.resume();
  const end = () => res.end();
  const timer = setTimeout(end, CLOSING_MS);
  req.once('end', end);
  res.once('close', () => clearTimeout(timer));
}

/**
 * Sends a stream piece by piece, no faster than the caller reads. `silenceMs` is the longest time without a piece
 * going out. Resolves when the stream is over or its caller gone; the function's generator is then told to close.
 */
async function sendPieces(res, opened, { requestId, close, silenceMs }) {
  const { pieces, first } = opened;
  // Read up to the first piece, so that a failure before it could still be answered as one; it tells the type.
  const type = typeof first === 'string' ? TEXT_TYPE : BYTES_TYPE;
  const answer = { ...opened.answer, contentType: opened.answer.contentType ?? type };
  const caller = new Caller(res);
  const silence = setTimeout(() => res.destroy(), silenceMs);
  try {
    res.writeHead(answer.status, headersOf(answer, [], close));
    let piece = res.req.method === 'HEAD' ? undefined : first;
    while (piece !== undefined && !caller.gone) {
      if (!res.write(piece)) await caller.unlessGone(new Promise((resolve) => res.once('drain', resolve)));
      silence.refresh();
      piece = await caller.unlessGone(pieces.next());
    }
    if (!caller.gone) res.end();
  } catch (error) {
    if (!caller.gone) sayError(`request ${requestId} failed while streaming`, error);
    // What was written still leaves; the end that a chunked body needs does not.
    res.socket?.destroySoon();
  }
  clearTimeout(silence);
  // Not awaited: a generator that waits for something else closes only after that, which may be never.
  closePieces(pieces, requestId);
}

/** Whether whoever asked is still there. */
class Caller {
  gone = false;
  #wake = () => {};

  constructor(res) {
    this.gone = res.destroyed;
    res.once('close', () => {
      this.gone = true;
      this.#wake();
    });
  }

  /** Settles as `promise` does, or at once when the caller goes. (Promise.race would keep each promise for ever.) */
  unlessGone(promise) {
    return new Promise((resolve, reject) => {
      this.#wake = resolve;
      promise.then(resolve, reject);
      if (this.gone) resolve();
    });
  }
}

async function closePieces(pieces, requestId) {
  try {
    await pieces.close();
  } catch (error) {
    sayError(`request ${requestId} failed while closing its stream`, error);
  }
}

module.exports = { send, sendAndClose, sendPieces, closePieces };
