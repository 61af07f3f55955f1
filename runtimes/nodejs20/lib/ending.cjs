'use strict';
// How the process ends: on a signal, after what runs; on an error that nobody caught, the same with status 1.

const { say, sayError } = require('./log.cjs');

/** {draining}, which turns true when the end begins. */
function ending(server, graceSeconds) {
  const state = { draining: false };
  const sockets = new Set();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  const begin = (status) => {
    if (state.draining) process.exit(1);
    state.draining = true;
    drain(server, { sockets, status, graceSeconds });
  };
  process.on('SIGTERM', () => begin(0));
  process.on('SIGINT', () => begin(0));
  process.on('unhandledRejection', (error) => sayError('a rejected promise that nobody waits for', error));
  process.on('uncaughtException', (error) => {
    sayError('an error that nobody caught; the process ends after what runs', error);
    if (!state.draining) begin(1);
  });
  return state;
}

// So long is still served what arrives: whoever has just connected or sent could not know of the end, and a connection that
// is closed under a request leaves its caller without knowing whether that was begun.
const LINGER_MS = 250;

function drain(server, { sockets, status, graceSeconds }) {
  setTimeout(() => {
    say(`${sockets.size} connections cut off after ${graceSeconds} s`);
    process.exit(1);
  }, graceSeconds * 1000);
  const close = () => {
    server.close(() => process.exit(status));
    for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy();
  };
  // A timer comes before the loop looks at its sockets. One look finds connections, and the next one what they have sent.
  const look = (then) => () => setImmediate(then);
  setTimeout(look(look(look(close))), LINGER_MS);
}

module.exports = { ending };
