import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { describe, expect, test } from 'vitest';
import type { Subject } from './cases.ts';
import { eventually } from './server.ts';
import { type SharedServer, sharedServer } from './shared-server.ts';
import { ask, call, json, requestBytes, Wire, type WireRequest } from './wire.ts';

export function streamsSuite(subject: Subject): void {
  describe('a stream', () => {
    const server = sharedServer(subject);

    test.each(['/stream', '/stream-later'])('(%s) is sent piece by piece, as they come', async (path) => {
      const until = subject.freshPath();
      const wire = await Wire.open(server.port());
      wire.send(requestBytes(call(path, { until })));
      const head = await wire.head();
      expect(head.status).toBe(200);
      expect(head.headers.get('content-type')).toEqual(['text/plain; charset=utf-8']);
      expect(head.headers.get('transfer-encoding')).toEqual(['chunked']);
      expect((await wire.chunk())?.toString()).toBe('one\n');
      // Only now does the function go on: the first piece did not wait for the second.
      writeFileSync(until, '');
      expect((await wire.chunk())?.toString()).toBe('two\n');
      expect(await wire.chunk()).toBeUndefined();
      wire.send(requestBytes({ path: '/text' }));
      expect(json(await wire.response())).toBe('plain');
      wire.destroy();
    });

    test('may be the body of an answer with status and headers; empty pieces do not end it', async () => {
      const response = await ask(server.port(), { path: '/stream-page' });
      expect(response.status).toBe(201);
      expect(response.headers.get('content-type')).toEqual(['text/html']);
      expect(response.body.toString()).toBe('<p></p>');
    });

    test("may be the language's own file stream", async () => {
      const path = subject.freshPath();
      const content = Buffer.alloc(300_000, 'абв');
      writeFileSync(path, content);
      const response = await ask(server.port(), call('/file', { path }));
      expect(response.headers.get('content-type')).toEqual(['application/octet-stream']);
      expect(response.body.equals(content)).toBe(true);
    });

    test('reaches HTTP/1.0 without chunks, up to the end of the connection', async () => {
      const wire = await Wire.open(server.port());
      wire.send('GET /stream-page HTTP/1.0\r\nConnection: keep-alive\r\n\r\n');
      const response = await wire.response();
      expect(response.headers.has('transfer-encoding')).toBe(false);
      expect(response.body.toString()).toBe('<p></p>');
    });

    test('that fails or gives no bytes is cut off without its end, and the log says why', async () => {
      for (const [path, reason] of [
        ['/stream-fail', 'secret detail'],
        ['/stream-wrong', 'piece'],
      ] as const) {
        const id = `cut ${path}`;
        const wire = await Wire.open(server.port());
        wire.send(requestBytes({ path, headers: { 'x-request-id': id } }));
        await wire.head();
        expect((await wire.chunk())?.toString()).toBe('one\n');
        expect((await wire.untilClosed()).toString()).toBe('');
        await server.logged(id);
        await server.logged(reason);
      }
    });

    test.each(['/stream', '/stream-later', '/stream-endless'])(
      '(%s) is closed when its caller leaves',
      async (path) => {
        const id = `left ${path}`;
        const until = subject.freshPath();
        const wire = await Wire.open(server.port());
        wire.send(requestBytes(withId(call(path, { until }), id)));
        await wire.head();
        await wire.chunk();
        wire.destroy();
        // A generator that waits for something is closed as soon as it goes on.
        writeFileSync(until, '');
        await server.logged(`closed ${id}`);
      },
    );

    flatMemory(server);
  });

  describe('a silent stream', () => {
    const server = sharedServer(subject, { SLESS_TIMEOUT_SECONDS: '1', SLESS_CONCURRENCY: '1' });

    test('is cut off after the time limit, and lives on beyond it while it speaks', async () => {
      const wire = await Wire.open(server.port());
      wire.send(requestBytes(call('/stream-later', { until: subject.freshPath() })));
      await wire.head();
      expect((await wire.chunk())?.toString()).toBe('one\n');
      expect((await wire.untilClosed()).toString()).toBe('');
      await hasPlace(server);
      await outlive(server);
    });

    test('without a first piece is a 504', async () => {
      await hasPlace(server);
      const event = { until: subject.freshPath(), silent: true };
      const response = await ask(server.port(), call('/stream-later', event));
      expect(response.status).toBe(504);
      expect(json(response)).toMatchObject({ code: 'FunctionTimeout' });
    });
  });
}

function withId(request: WireRequest, id: string): WireRequest {
  return { ...request, headers: { ...request.headers, 'x-request-id': id } };
}

/** Waits for the one place of the server: who has left a stream holds it until the server notices. */
async function hasPlace(server: SharedServer): Promise<void> {
  const isFree = async () => (await ask(server.port(), { path: '/text' })).status === 200;
  expect(await eventually(isFree)).toBe(true);
}

/** Reads an endless stream for longer than the time limit. */
async function outlive(server: SharedServer): Promise<void> {
  const started = Date.now();
  const socket = connect(server.port(), '127.0.0.1');
  socket.write(requestBytes({ path: '/stream-endless' }));
  let closed = false;
  socket.on('close', () => {
    closed = true;
  });
  while (Date.now() - started < 1500 && !closed) await once(socket, 'data');
  expect(closed).toBe(false);
  socket.destroy();
}

function flatMemory(server: SharedServer): void {
  const resident = (): number => {
    const status = readFileSync(`/proc/${server.pid()}/status`, 'utf8');
    return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]) / 1024;
  };

  test.skipIf(process.platform !== 'linux')(
    'takes no memory, to a fast reader and to one that stops',
    async () => {
      const before = resident();
      const slow = await Wire.open(server.port());
      slow.send(requestBytes({ path: '/stream-endless' }));
      await slow.head();
      slow.pause();
      const socket = connect(server.port(), '127.0.0.1');
      socket.write(requestBytes({ path: '/stream-endless' }));
      let received = 0;
      while (received < 128 * 1024 * 1024) received += ((await once(socket, 'data')) as [Buffer])[0].length;
      const grown = resident() - before;
      socket.destroy();
      slow.destroy();
      // MB. Both streams would have taken more than 128 each.
      expect(grown).toBeLessThan(48);
    },
  );
}
