/** The function behind everything: reads the body, answers a little JSON, or as many bytes as `/bytes/{n}` asks for. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const PIECE = Buffer.alloc(64 * 1024, 'x');
const ANSWER = JSON.stringify({ message: 'hello', ok: true });

const server = createServer({ keepAliveTimeout: 65_000 }, (request, response) => {
  request.on('data', () => {});
  request.on('end', () => {
    const size = Number(/^\/bytes\/(\d+)$/.exec(request.url ?? '')?.[1] ?? 0);
    response.setHeader('content-type', 'application/json');
    if (size === 0) {
      response.setHeader('content-length', ANSWER.length);
      response.end(ANSWER);
      return;
    }
    response.setHeader('content-length', size);
    send(size);
    function send(left: number): void {
      let rest = left;
      while (rest > 0) {
        const piece = rest >= PIECE.length ? PIECE : PIECE.subarray(0, rest);
        rest -= piece.length;
        if (!response.write(piece)) {
          response.once('drain', () => send(rest));
          return;
        }
      }
      response.end();
    }
  });
});
server.listen(0, '127.0.0.1', () => console.log(`port ${(server.address() as AddressInfo).port}`));
process.stdin.on('end', () => process.exit()).resume();
