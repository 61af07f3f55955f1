import { type IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { UpgradeWish } from './admitted.ts';

/** A response for a socket that node:http has let go of, so that refusals and plain answers are the same there. */
export function responseOn(request: IncomingMessage, socket: Socket): ServerResponse {
  const response = new ServerResponse(request);
  response.shouldKeepAlive = false;
  response.assignSocket(socket);
  socket.on('error', () => socket.destroy());
  response.on('finish', () => {
    response.detachSocket(socket);
    socket.destroySoon();
    response.emit('close');
  });
  return response;
}

/** What a caller may send before it is answered; the rest waits in the kernel. */
const MAX_EARLY = 64 * 1024;

/**
 * Reads from the socket while the function makes up its mind: one that is not read from would not show that the caller
 * has left.
 */
export function upgradeWish(request: IncomingMessage, socket: Socket, head: Buffer): UpgradeWish {
  const pieces = [head];
  let bytes = head.length;
  const collect = (piece: Buffer): void => {
    pieces.push(piece);
    bytes += piece.length;
    if (bytes >= MAX_EARLY) socket.pause();
  };
  const left = (): void => {
    socket.destroy();
  };
  socket.on('data', collect);
  socket.on('end', left);
  socket.resume();
  return {
    protocol: request.headers.upgrade ?? '',
    socket,
    takeEarly() {
      socket.off('data', collect);
      socket.off('end', left);
      socket.pause();
      return Buffer.concat(pieces);
    },
  };
}
