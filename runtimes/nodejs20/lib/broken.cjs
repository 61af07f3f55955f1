'use strict';
// What never becomes a request: Node's parser refuses it, and the connection ends.

const { Refusal, badRequest } = require('./refusal.cjs');

const CLOSING_MS = 2000;
const refused = new WeakSet();

/** Answers broken requests in their place in the order: what was asked before them is answered first. */
function refuseBrokenRequests(server) {
  server.on('clientError', (error, socket) => {
    // The parser complains again about each further packet.
    if (refused.has(socket)) return;
    refused.add(socket);
    if (error.code === 'ECONNRESET' || !socket.writable) socket.destroy();
    else afterUnfinished(socket, () => endWith(socket, refusalOf(error)));
  });
  server.on('connect', (_req, socket) => {
    endWith(socket, new Refusal(405, 'MethodNotAllowed', 'This server is not a proxy.'));
  });
}

/** When every request before the broken one has been answered. `_httpMessage` is what the socket is sending now. */
function afterUnfinished(socket, act) {
  const response = socket._httpMessage;
  if (!response) act();
  else if (response.req.complete) response.once('close', () => afterUnfinished(socket, act));
  // The request that broke is this one. Where it has been refused already, that answer is on its way.
  else if (!response.headersSent) act();
}

function refusalOf({ code, message }) {
  if (code === 'HPE_HEADER_OVERFLOW')
    return new Refusal(431, 'HeadersTooLarge', 'The head is larger than 65536 bytes.');
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    return new Refusal(408, 'RequestTimeout', 'The request took too long to arrive.');
  }
  if (code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW') {
    return new Refusal(413, 'PayloadTooLarge', "The body's chunk extensions are larger than 16384 bytes.");
  }
  return badRequest(`The request is not HTTP/1.1: ${message.replace(/^Parse Error: /, '')}.`);
}

function endWith(socket, refusal) {
  const body = refusal.body();
  const head = [
    `HTTP/1.1 ${refusal.status} ${require('node:http').STATUS_CODES[refusal.status]}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
  const timer = setTimeout(() => socket.destroy(), CLOSING_MS);
  socket.once('close', () => clearTimeout(timer));
  socket.resume();
}

module.exports = { refuseBrokenRequests };
