import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import type { AddressInfo, Server, Socket } from 'node:net';
import { createServer as createTcpServer } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Invocation, Invoker } from '../../src/ports/invoker.ts';

/** The functions that the contract's tests want to be found, as origins by name. */
export type Functions = Map<string, string>;

interface OpenInvoker {
  readonly invoker: Invoker;
  close(): Promise<void>;
}

interface InvokerSubject {
  /** Bytes of an answer that the invoker keeps. */
  readonly maxBody: number;
  readonly open: (functions: Functions) => OpenInvoker;
}

const invocation = (changes: Partial<Invocation> = {}): Invocation => ({
  namespace: 'ns',
  function: 'hello',
  method: 'POST',
  path: '/',
  headers: {},
  body: new Uint8Array(),
  timeoutMs: 10_000,
  ...changes,
});

/** What every invoker must do, against servers that behave and servers that do not. */
export function invokerContract(name: string, { maxBody, open }: InvokerSubject): void {
  describe(`invoker: ${name}`, () => {
    const functions: Functions = new Map();
    const servers: Server[] = [];
    const sockets = new Set<Socket>();
    let opened: OpenInvoker;
    beforeEach(() => {
      opened = open(functions);
    });
    afterEach(async () => {
      await opened.close();
      for (const socket of sockets) socket.destroy();
      for (const server of servers.splice(0)) server.close();
      functions.clear();
    });

    const listen = async (server: Server): Promise<void> => {
      server.on('connection', (socket) => sockets.add(socket));
      servers.push(server.listen(0, '127.0.0.1'));
      await once(server, 'listening');
      functions.set('ns/hello', `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    };
    const raw = (answer: string) =>
      listen(createTcpServer((socket) => void socket.once('data', () => socket.end(answer))));

    test('method, path, query, headers and body arrive unchanged; the answer comes back', async () => {
      await listen(
        createHttpServer(async (request, response) => {
          const seen = {
            method: request.method,
            url: request.url,
            header: request.headers['x-own'],
            body: await text(request),
          };
          response
            .writeHead(201, { 'x-answer': 'yes', 'set-cookie': ['a=1', 'b=2'] })
            .end(JSON.stringify(seen));
        }),
      );
      const result = await opened.invoker.invoke(
        invocation({
          path: '/a%2Fb//c?x=1&x=2&y=a+b%20c&z=',
          headers: { 'x-own': 'kept' },
          body: Buffer.from('{"a":1}'),
        }),
      );
      expect(JSON.parse(Buffer.from(result.body).toString())).toEqual({
        method: 'POST',
        url: '/a%2Fb//c?x=1&x=2&y=a+b%20c&z=',
        header: 'kept',
        body: '{"a":1}',
      });
      expect(result).toMatchObject({ status: 201, truncated: false });
      expect(result.headers).toMatchObject({ 'x-answer': 'yes', 'set-cookie': ['a=1', 'b=2'] });
    });

    test.each([204, 302, 404, 429, 500, 503])('an answer of %i is a result', async (status) => {
      await listen(
        createHttpServer((_request, response) => void response.writeHead(status, { location: '/x' }).end()),
      );
      expect((await opened.invoker.invoke(invocation())).status).toBe(status);
    });

    test('a body beyond the bound is cut and marked, once the function has come to its end; its connection is used again', async () => {
      let ended = 0;
      const server = createHttpServer((_request, response) => {
        response.write('x'.repeat(maxBody + 1));
        response.on('finish', () => {
          ended += 1;
        });
        // Later than the client has all that it keeps.
        setTimeout(() => response.end('y'.repeat(300_000)), 50);
      });
      let connections = 0;
      server.on('connection', () => {
        connections += 1;
      });
      await listen(server);
      for (const count of [1, 2]) {
        const result = await opened.invoker.invoke(invocation());
        expect(Buffer.from(result.body).toString()).toBe('x'.repeat(maxBody));
        expect(result.truncated).toBe(true);
        expect(ended).toBe(count);
      }
      expect(connections).toBe(1);
    });

    test('a body beyond the bound that breaks off is UpstreamInvalid', async () => {
      await raw(`HTTP/1.1 200 OK\r\ncontent-length: ${maxBody * 3}\r\n\r\n${'x'.repeat(maxBody * 2)}`);
      await expect(opened.invoker.invoke(invocation())).rejects.toMatchObject({ code: 'UpstreamInvalid' });
    });

    test('an endless body ends by the time limit', async () => {
      await listen(
        createHttpServer((_request, response) => {
          const more = () => {
            while (!response.destroyed && response.write('x'.repeat(1000)));
          };
          response.on('drain', more);
          more();
        }),
      );
      await expect(opened.invoker.invoke(invocation({ timeoutMs: 200 }))).rejects.toMatchObject({
        code: 'FunctionTimeout',
      });
    });

    test('a body of exactly the bound is whole', async () => {
      await listen(createHttpServer((_request, response) => void response.end('x'.repeat(maxBody))));
      const result = await opened.invoker.invoke(invocation());
      expect([result.body.length, result.truncated]).toEqual([maxBody, false]);
    });

    test('a name that nothing serves is UpstreamUnreachable', async () => {
      await expect(opened.invoker.invoke(invocation())).rejects.toMatchObject({
        code: 'UpstreamUnreachable',
      });
    });

    test('a port that nobody listens on is UpstreamUnreachable', async () => {
      await listen(createTcpServer());
      await new Promise((resolve) => servers.splice(0)[0]?.close(resolve));
      await expect(opened.invoker.invoke(invocation())).rejects.toMatchObject({
        code: 'UpstreamUnreachable',
      });
    });

    test.each([
      ['no HTTP at all', 'hello\r\n\r\n'],
      ['nothing', ''],
      ['a body cut short', 'HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhalf'],
      ['a head cut short', 'HTTP/1.1 200 OK\r\nx-a: '],
    ])('a server that answers %s is UpstreamInvalid', async (_kind, answer) => {
      await raw(answer);
      await expect(opened.invoker.invoke(invocation())).rejects.toMatchObject({ code: 'UpstreamInvalid' });
    });

    test('the time limit counts for the head', async () => {
      await listen(createHttpServer(() => {}));
      await expect(opened.invoker.invoke(invocation({ timeoutMs: 50 }))).rejects.toMatchObject({
        code: 'FunctionTimeout',
      });
    });

    test('the time limit counts for the whole body, and the connection is ended', async () => {
      const server = createHttpServer((_request, response) => void response.write('begun'));
      await listen(server);
      const closed = new Promise((resolve) =>
        server.on('connection', (socket) => socket.on('close', resolve)),
      );
      await expect(opened.invoker.invoke(invocation({ timeoutMs: 50 }))).rejects.toMatchObject({
        code: 'FunctionTimeout',
      });
      await closed;
    });

    test('a caller that gives up ends the call', async () => {
      const server = createHttpServer(() => {});
      await listen(server);
      const abort = new AbortController();
      const pending = opened.invoker.invoke(invocation({ signal: abort.signal }));
      await once(server, 'request');
      abort.abort();
      await expect(pending).rejects.toThrow();
    });

    test.each([
      { headers: { 'x-bad': 'a\r\nb: c' } },
      { path: 'no-slash' },
      { path: '/a b' },
      { method: 'G ET' },
    ])('what no request can hold is InvalidRequest: %j', async (changes) => {
      await listen(createHttpServer((_request, response) => void response.end()));
      await expect(opened.invoker.invoke(invocation(changes))).rejects.toMatchObject({
        code: 'InvalidRequest',
      });
    });

    test('a post is never sent twice', async () => {
      let posts = 0;
      await listen(
        createHttpServer((request) => {
          posts += 1;
          request.socket.destroy();
        }),
      );
      await expect(opened.invoker.invoke(invocation())).rejects.toMatchObject({ code: 'UpstreamInvalid' });
      expect(posts).toBe(1);
    });
  });
}
