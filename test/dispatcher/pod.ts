import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/** One call as a pod receives it. */
export interface Call {
  readonly body: Buffer;
  readonly headers: IncomingMessage['headers'];
  /** `context.message`. */
  readonly message: Readonly<Record<string, unknown>>;
  readonly at: number;
}

/** `busy`: 429 of the runtime itself, which has not begun. What is a function writes the answer itself. */
type Answer = number | 'busy' | ((response: ServerResponse) => Promise<void>);

/** A pod of a function that a test writes: what it returns is the answer's status, or `busy`; what it throws cuts the connection. */
export interface Pod {
  readonly port: number;
  readonly calls: Call[];
  /** Calls under way now, and the most there ever were. */
  readonly running: { now: number; most: number };
  handle: (call: Call) => Answer | Promise<Answer>;
  close(): Promise<void>;
}

export async function startPod(handle: Pod['handle'] = () => 200, at = '127.0.0.1'): Promise<Pod> {
  const calls: Call[] = [];
  const running = { now: 0, most: 0 };
  const server: Server = createServer(async (request, response) => {
    running.now += 1;
    running.most = Math.max(running.most, running.now);
    try {
      const encoded = String(request.headers['x-sless-message'] ?? '');
      const call: Call = {
        body: await buffer(request),
        headers: request.headers,
        message: JSON.parse(Buffer.from(encoded, 'base64url').toString() || 'null'),
        at: performance.now(),
      };
      calls.push(call);
      const answer = await pod.handle(call);
      if (typeof answer === 'function') await answer(response);
      else if (answer === 'busy') response.writeHead(429, { 'X-Sless-Busy': '1' }).end('said by the runtime');
      else response.writeHead(answer).end('said by the function');
    } catch {
      request.socket.destroy();
    } finally {
      running.now -= 1;
    }
  }).listen(0, at);
  await once(server, 'listening');
  const pod: Pod = {
    port: (server.address() as AddressInfo).port,
    calls,
    running,
    handle,
    async close() {
      server.closeAllConnections();
      if (!server.listening) return;
      server.close();
      await once(server, 'close');
    },
  };
  return pod;
}

export const text = ({ body }: Call): string => body.toString('utf8');
