import { connect } from 'node:net';
import { describe, expect, test } from 'vitest';
import { ERRORS } from '../../src/errors.ts';
import type { Subject } from './cases.ts';
import { sharedServer } from './shared-server.ts';
import { ask, call, json, requestBytes, Wire } from './wire.ts';

export function wireSuite(subject: Subject): void {
  describe('HTTP', () => {
    const server = sharedServer(subject);

    test('keeps connections alive', async () => {
      const wire = await Wire.open(server.port());
      for (let round = 0; round < 50; round++) {
        wire.send(requestBytes(call('/echo', { round })));
        expect(json(await wire.response())).toEqual({ round });
      }
      wire.destroy();
    });

    test('closes a connection when asked to, and after HTTP/1.0', async () => {
      for (const head of [
        'GET /text HTTP/1.1\r\nHost: test\r\nConnection: Close\r\n\r\n',
        'GET /text HTTP/1.0\r\n\r\n',
      ]) {
        const wire = await Wire.open(server.port());
        wire.send(head);
        const response = await wire.response();
        expect(response.body.toString()).toBe('"plain"');
        expect(response.headers.get('connection')).toEqual(['close']);
        expect((await wire.untilClosed()).length).toBe(0);
      }
    });

    test('keeps HTTP/1.0 alive when asked to', async () => {
      const wire = await Wire.open(server.port());
      for (let round = 0; round < 2; round++) {
        wire.send('GET /text HTTP/1.0\r\nConnection: keep-alive\r\n\r\n');
        const response = await wire.response();
        expect(response.headers.get('connection')?.[0]?.toLowerCase()).toBe('keep-alive');
      }
      wire.destroy();
    });

    test('answers pipelined requests in their order, the slow one first', async () => {
      const wire = await Wire.open(server.port());
      const requests = [call('/echo-later', 1), call('/echo', 2), { path: '/text' }, call('/echo', 4)];
      wire.send(Buffer.concat(requests.map(requestBytes)));
      for (const expected of [1, 2, 'plain', 4]) expect(json(await wire.response())).toBe(expected);
      wire.destroy();
    });

    test('takes requests that come byte by byte', async () => {
      const wire = await Wire.open(server.port());
      for (const byte of requestBytes(call('/echo', { a: 'ж' }))) {
        wire.send(Buffer.from([byte]));
        await wire.flushed();
      }
      expect(json(await wire.response())).toEqual({ a: 'ж' });
      wire.destroy();
    });

    test('takes chunked bodies: extensions, trailers, leading zeros, any letter case', async () => {
      const wire = await Wire.open(server.port());
      const head =
        'POST /echo HTTP/1.1\r\nHost: test\r\nContent-Type: application/json\r\nTransfer-Encoding: Chunked\r\n\r\n';
      wire.send(`${head}1\r\n[\r\n003;a=b;c="d"\r\n1,2\r\nA\r\n,"0123456"\r\n1\r\n]\r\n0\r\nX-T: 1\r\n\r\n`);
      expect(json(await wire.response())).toEqual([1, 2, '0123456']);
      wire.send(`${head}0\r\n\r\n`);
      expect(json(await wire.response())).toEqual({});
      wire.destroy();
    });

    test('takes an empty line before a request, and a target that is an asterisk', async () => {
      const wire = await Wire.open(server.port());
      wire.send('\r\nGET /text HTTP/1.1\r\nHost: test\r\n\r\n');
      expect((await wire.response()).status).toBe(200);
      wire.send('OPTIONS * HTTP/1.1\r\nHost: test\r\n\r\n');
      // The behaviours know no such path, but it has reached them.
      expect(json(await wire.response())).toMatchObject({ code: 'FunctionError' });
      wire.destroy();
    });

    test('answers a caller that has ended its sending half', async () => {
      const wire = await Wire.open(server.port());
      wire.send(requestBytes(call('/echo-later', 'half')));
      wire.finish();
      expect(json(await wire.response())).toBe('half');
      await wire.untilClosed();
    });

    test('asks for the body of whoever expects to be asked', async () => {
      const wire = await Wire.open(server.port());
      wire.send('POST /echo HTTP/1.1\r\nHost: test\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\n');
      expect((await wire.response({ interim: true })).status).toBe(100);
      wire.send('[1]');
      expect(json(await wire.response())).toEqual([1]);
      wire.destroy();
    });

    test('cannot meet another expectation: 417', async () => {
      const wire = await Wire.open(server.port());
      wire.send('POST /echo HTTP/1.1\r\nHost: test\r\nContent-Length: 3\r\nExpect: magic\r\n\r\n');
      expect((await wire.response()).status).toBe(417);
      wire.destroy();
    });

    test('is not left for a WebSocket: 426', async () => {
      const wire = await Wire.open(server.port());
      const upgrade =
        'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n';
      wire.send(`GET /text HTTP/1.1\r\nHost: test\r\n${upgrade}Sec-WebSocket-Version: 13\r\n\r\n`);
      const response = await wire.response();
      expect(response.status).toBe(426);
      expect(json(response)).toMatchObject({ code: 'UpgradeRequired' });
      expect((await wire.untilClosed()).length).toBe(0);
    });

    test('ignores an offer to upgrade to HTTP/2, as clients make it', async () => {
      const headers = {
        connection: 'Upgrade, HTTP2-Settings',
        upgrade: 'h2c',
        'http2-settings': 'AAMAAABkAAQAAP__',
      };
      expect((await ask(server.port(), { ...call('/echo', 1), headers })).status).toBe(200);
    });

    test("has the platform's own paths: health is 200, the rest 404", async () => {
      expect((await ask(server.port(), { path: '/_sless/health' })).status).toBe(200);
      expect((await ask(server.port(), { path: '/_sless/health?x=1', method: 'HEAD' })).status).toBe(200);
      for (const path of ['/_sless/', '/_sless/healthz', '/_sless/health/x']) {
        const response = await ask(server.port(), { path, body: 'x' });
        expect(response.status).toBe(404);
        expect(json(response)).toMatchObject({ code: 'NotFound' });
      }
    });

    test('serves on under many idle connections, and after many that were dropped', async () => {
      const sockets = Array.from({ length: 300 }, () => connect(server.port(), '127.0.0.1'));
      await Promise.all(sockets.map((socket) => new Promise((resolve) => socket.once('connect', resolve))));
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, i) => ask(server.port(), call('/echo', i))),
      );
      expect(answers.map(json)).toEqual(Array.from({ length: 20 }, (_, i) => i));
      for (const socket of sockets) {
        socket.write('POST /echo HTTP/1.1\r\nHost: te');
        socket.destroy();
      }
      expect((await ask(server.port(), { path: '/text' })).status).toBe(200);
    });
  });

  describe('limits of size', () => {
    const server = sharedServer(subject, { SLESS_MAX_BODY_BYTES: '100000' });

    test('a body up to the limit is taken, in one piece and in chunks', async () => {
      const text = 'x'.repeat(99_998);
      expect(json(await ask(server.port(), call('/echo', text)))).toBe(text);
      const wire = await Wire.open(server.port());
      const head =
        'POST /echo HTTP/1.1\r\nHost: test\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n';
      const half = 'x'.repeat(49_999);
      wire.send(`${head}c350\r\n"${half}\r\nc350\r\n${half}"\r\n0\r\n\r\n`);
      expect(json(await wire.response())).toBe(text);
      wire.destroy();
    });

    test('a body that announces more is refused before it is sent', async () => {
      const wire = await Wire.open(server.port());
      wire.send(
        'POST /echo HTTP/1.1\r\nHost: test\r\nContent-Length: 100001\r\nExpect: 100-continue\r\n\r\n',
      );
      const response = await wire.response({ interim: true });
      expect(response.status).toBe(ERRORS.PayloadTooLarge.http);
      expect(json(response)).toMatchObject({ code: 'PayloadTooLarge' });
      wire.destroy();
    });

    test('a larger body is refused in words though all of it was sent', async () => {
      const body = 'x'.repeat(3_000_000);
      const response = await ask(server.port(), { path: '/echo', body });
      expect(response.status).toBe(413);
      expect(response.headers.get('connection')).toEqual(['close']);
    });

    test('chunks that add up to more are refused', async () => {
      const wire = await Wire.open(server.port());
      wire.send('POST /echo HTTP/1.1\r\nHost: test\r\nTransfer-Encoding: chunked\r\n\r\n');
      for (let count = 0; count < 11; count++) wire.send(`2710\r\n${'x'.repeat(10_000)}\r\n`);
      expect((await wire.response()).status).toBe(413);
      wire.destroy();
    });

    test.each([
      ['one header', `X: ${'y'.repeat(70_000)}\r\n`],
      ['many headers', 'X: yyyyyyyyy\r\n'.repeat(15_000)],
    ])('a head that is too large by %s is refused: 431', async (_, lines) => {
      const wire = await Wire.open(server.port());
      wire.send(`GET /text HTTP/1.1\r\nHost: test\r\n${lines}\r\n`);
      const response = await wire.response();
      expect(response.status).toBe(431);
      expect(json(response)).toMatchObject({ code: 'HeadersTooLarge' });
      wire.destroy();
    });

    test('a head of 60 KB is taken', async () => {
      const headers = { 'x-a': 'y'.repeat(30_000), 'x-b': 'y'.repeat(30_000) };
      expect((await ask(server.port(), { path: '/text', headers })).status).toBe(200);
    });
  });
}
