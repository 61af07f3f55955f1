import { randomBytes } from 'node:crypto';
import { maxHeaderSize, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { ERRORS } from '../../errors.ts';
import type { Refusal } from '../proxy/refusal.ts';
import { VERSION } from './fault.ts';

/** What node's parser and its time limits say, in our words. */
const UNREADABLE: Readonly<Record<string, Refusal>> = {
  HPE_HEADER_OVERFLOW: {
    code: 'HeadersTooLarge',
    message: `the request line and the headers are larger than ${maxHeaderSize} bytes`,
  },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: { code: 'PayloadTooLarge', message: 'the chunk extensions are too large' },
  ERR_HTTP_REQUEST_TIMEOUT: { code: 'RequestTimeout', message: 'the request did not arrive in time' },
  HPE_INVALID_VERSION: VERSION,
  HPE_PAUSED_H2_UPGRADE: VERSION,
};

const NOT_HTTP: Refusal = { code: 'InvalidRequest', message: 'the request is not valid HTTP' };

/** Answers what node's parser could not read, in the form of all other errors: for a server's `clientError`. */
export function refuseUnreadable(error: NodeJS.ErrnoException, socket: Duplex): void {
  // The answer that is under way on this socket, which node's own handler looks at as well; it has no public name.
  const { _httpMessage: begun } = socket as Duplex & { _httpMessage?: ServerResponse | null };
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  if (begun?.headersSent === true) {
    // A refusal that was given before the rest turned out to be nonsense is still to be read.
    (socket as Socket).destroySoon();
    return;
  }
  refuseOn(socket, UNREADABLE[error.code ?? ''] ?? NOT_HTTP);
}

/** `CONNECT` asks for a tunnel to anywhere: for a server's `connect`. */
export function refuseConnect(_request: unknown, socket: Duplex): void {
  socket.on('error', () => socket.destroy());
  refuseOn(socket, { code: 'InvalidRequest', message: 'CONNECT is not possible here' });
}

/** A refusal where there is no response to write it with. The connection ends. */
function refuseOn(socket: Duplex, { code, message }: Refusal): void {
  const status = ERRORS[code].http;
  const body = JSON.stringify({ error: message, code });
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\nContent-Type: application/json\r\n` +
      `Cache-Control: no-store\r\nX-Request-Id: ${randomBytes(16).toString('hex')}\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}
