import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A registry that asks for a login, before one that asks for none. */
export interface GuardedRegistry {
  /** `host:port`. */
  readonly at: string;
  /** What a Secret of type dockerconfigjson holds for it. */
  readonly dockerConfig: string;
  /** What nobody else may come to know. */
  readonly secrets: readonly string[];
  close(): void;
}

/** Everything that passes has shown the login. */
export async function startGuardedRegistry(host: string, target: string): Promise<GuardedRegistry> {
  const password = `pw${crypto.randomUUID().replaceAll('-', '')}`;
  const auth = Buffer.from(`builder:${password}`).toString('base64');
  const server = createServer((asked, answer) => {
    if (asked.headers.authorization === `Basic ${auth}`) return void pass(asked, target, answer);
    asked.resume();
    answer.writeHead(401, {
      'www-authenticate': 'Basic realm="guarded"',
      'content-type': 'application/json',
    });
    answer.end(JSON.stringify({ errors: [{ code: 'UNAUTHORIZED', message: 'authentication required' }] }));
  }).listen(0, host);
  await once(server, 'listening');
  const at = `${host}:${(server.address() as AddressInfo).port}`;
  return {
    at,
    dockerConfig: JSON.stringify({ auths: { [at]: { auth } } }),
    secrets: [password, auth],
    close: () => end(server),
  };
}

function pass(asked: IncomingMessage, target: string, answer: import('node:http').ServerResponse): void {
  const { method, url = '/', headers } = asked;
  const { authorization: _, ...rest } = headers;
  // The registry behind names the host that it was asked under in its redirects.
  const passing = request(`http://${target}${url}`, { method, headers: rest }, (told) => {
    answer.writeHead(told.statusCode ?? 502, told.headers);
    told.pipe(answer);
  });
  passing.on('error', () => answer.destroy());
  asked.pipe(passing);
}

function end(server: Server): void {
  server.close();
  server.closeAllConnections();
}
