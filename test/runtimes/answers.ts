import { describe, expect, test } from 'vitest';
import type { Subject } from './cases.ts';
import { serve, stop } from './server.ts';
import { type SharedServer, sharedServer } from './shared-server.ts';
import { ask, call, json, requestBytes, Wire, type WireResponse } from './wire.ts';

/** [what, the function's answer, the content type, the body] */
const EXPLICIT: readonly [string, object, string | undefined, string][] = [
  ['a text as it is', { body: 'ё "x"' }, 'text/plain; charset=utf-8', 'ё "x"'],
  ['an object as JSON', { body: { a: 1 } }, 'application/json', '{"a":1}'],
  ['a list as JSON', { body: [1] }, 'application/json', '[1]'],
  ['a number as JSON', { body: 0 }, 'application/json', '0'],
  ['false as JSON', { body: false }, 'application/json', 'false'],
  ['nothing for null', { body: null }, undefined, ''],
  ['nothing where there is no body', {}, undefined, ''],
  ['an empty text', { body: '' }, 'text/plain; charset=utf-8', ''],
  [
    'the type that the function names',
    { headers: { 'Content-Type': 'text/html' }, body: '<p>' },
    'text/html',
    '<p>',
  ],
  [
    'base64 decoded, where it says so',
    { body: 'AP8=', isBase64Encoded: true },
    'application/octet-stream',
    '\u0000\u00ff',
  ],
];

/** [what, the function's answer, what the error speaks of] */
const REFUSED: readonly [string, object, string][] = [
  ['a statusCode that is a text', { statusCode: '201' }, 'statusCode'],
  ['a statusCode that is no whole number', { statusCode: 200.5 }, 'statusCode'],
  ['an interim statusCode', { statusCode: 101 }, 'statusCode'],
  ['a statusCode of 600', { statusCode: 600 }, 'statusCode'],
  ['a statusCode of true', { statusCode: true }, 'statusCode'],
  ['a statusCode of null', { statusCode: null }, 'statusCode'],
  ['headers that are a list', { statusCode: 200, headers: ['a'] }, 'headers'],
  ['headers that are a text', { statusCode: 200, headers: 'a: b' }, 'headers'],
  ['a line end in a header', { statusCode: 200, headers: { 'x-a': 'b\r\nx-evil: 1' } }, 'x-a'],
  ['a bare LF in a header', { statusCode: 200, headers: { 'x-a': ['ok', 'b\nc'] } }, 'x-a'],
  ['a NUL in a header', { statusCode: 200, headers: { 'x-a': 'b\u0000' } }, 'x-a'],
  ['a header outside Latin-1', { statusCode: 200, headers: { 'x-a': 'ж' } }, 'x-a'],
  ['a header that is an object', { statusCode: 200, headers: { 'x-a': {} } }, 'x-a'],
  ['a header that is null', { statusCode: 200, headers: { 'x-a': null } }, 'x-a'],
  ['a header name with a line end', { statusCode: 200, headers: { 'x\r\nx-evil': 'b' } }, 'name'],
  ['a header name with a space', { statusCode: 200, headers: { 'x a': 'b' } }, 'name'],
  ['an empty header name', { statusCode: 200, headers: { '': 'b' } }, 'name'],
  ['base64 that is not', { statusCode: 200, body: '%%%', isBase64Encoded: true }, 'base64'],
];

interface Told {
  readonly error: string;
}

export function answersSuite(subject: Subject): void {
  describe('the answer', () => {
    const server = sharedServer(subject);
    const echo = (event: unknown): Promise<WireResponse> => ask(server.port(), call('/echo', event));

    test('is JSON in UTF-8, with its length and a date', async () => {
      const response = await echo({ имя: 'Ёж' });
      expect(response.headers.get('content-type')).toEqual(['application/json']);
      expect(response.body.toString('utf8')).toBe('{"имя":"Ёж"}');
      expect(response.headers.get('content-length')).toEqual([String(response.body.length)]);
      expect(new Date(response.headers.get('date')?.[0] ?? '').getTime()).toBeGreaterThan(
        Date.now() - 60_000,
      );
    });

    test('is JSON even with half a surrogate pair in it', async () => {
      expect((await echo(['\ud800'])).body.toString('utf8')).toBe('["\\ud800"]');
    });

    test('is null for nothing, and a JSON text for a text', async () => {
      expect((await ask(server.port(), { path: '/nothing' })).body.toString()).toBe('null');
      expect((await ask(server.port(), { path: '/text' })).body.toString()).toBe('"plain"');
    });

    test('is bytes for bytes', async () => {
      const response = await ask(server.port(), { path: '/bytes' });
      expect(response.headers.get('content-type')).toEqual(['application/octet-stream']);
      expect(response.body).toEqual(Buffer.from(Array.from({ length: 256 }, (_, index) => index)));
    });

    test.each(EXPLICIT)('has %s', async (_, answer, type, body) => {
      const response = await echo({ statusCode: 418, ...answer });
      expect(response.status).toBe(418);
      expect(response.headers.get('content-type')?.[0]).toBe(type);
      const bytes = type === 'application/octet-stream' ? Buffer.from(body, 'latin1') : Buffer.from(body);
      expect(response.body).toEqual(bytes);
    });

    test.each([200, 299, 404, 503, 599])('has the status %d', async (statusCode) => {
      expect((await echo({ statusCode, body: 'x' })).status).toBe(statusCode);
    });

    test('repeats a header for each value of a list, and writes numbers', async () => {
      const cookies = ['a=1; Expires=Wed, 09 Jun 2021 10:18:14 GMT', 'b=2'];
      const response = await echo({
        statusCode: 200,
        headers: { 'Set-Cookie': cookies, 'x-n': 7, 'x-e': '' },
      });
      expect(response.headers.get('set-cookie')).toEqual(cookies);
      expect(response.headers.get('x-n')).toEqual(['7']);
      expect(response.headers.get('x-e')).toEqual(['']);
    });

    test.each(REFUSED)('cannot have %s: 500, saying so', async (_, answer, spoken) => {
      const response = await echo(answer);
      expect(response.status).toBe(500);
      expect(json(response)).toEqual({ error: expect.stringContaining(spoken), code: 'FunctionError' });
      expect(response.headers.has('x-evil')).toBe(false);
    });

    test('that cannot be written is a 500 that says why', async () => {
      const response = await ask(server.port(), { path: '/unwritable' });
      expect(response.status).toBe(500);
      expect(json(response)).toEqual({ error: expect.stringContaining('JSON'), code: 'FunctionError' });
    });

    test('to what throws says where the log lies, where it is told', async () => {
      const local = await serve(subject.runtime, {
        folder: subject.folder('behaviours'),
        entrypoint: 'behaviours.handle',
        env: { SLESS_LOG_FILE: '.sless/logs/team/pod/function.log' },
      });
      const messages = await Promise.all(
        [server.port(), local.port].map(
          async (port) => (json(await ask(port, { path: '/fail' })) as Told).error,
        ),
      );
      await stop(local);
      expect(messages[0]).toMatch(/^The function failed; its log says why\. Request \S+\.$/);
      expect(messages[1]).toMatch(
        /^The function failed; its log \(\.sless\/logs\/team\/pod\/function\.log\) says why\. Request \S+\.$/,
      );
    });

    test.each(['/fail', '/fail-later', '/stream-fail-first'])(
      'to what throws (%s) is a short error; the stack is in the log alone',
      async (path) => {
        const id = `throws ${path}`;
        const response = await ask(server.port(), { path, headers: { 'x-request-id': id } });
        expect(response.status).toBe(500);
        expect(json(response)).toEqual({ error: expect.stringContaining(id), code: 'FunctionError' });
        expect(response.body.toString()).not.toContain('secret detail');
        await server.logged(id);
        await server.logged('secret detail');
        // The file of the fixture, whatever the language calls it.
        await server.logged('behaviours.');
      },
    );

    framing(server);
  });
}

function framing(server: SharedServer): void {
  test.each([204, 304])('with %d has neither body nor length', async (statusCode) => {
    const wire = await Wire.open(server.port());
    wire.send(requestBytes(call('/echo', { statusCode, headers: { 'x-a': 'b' }, body: 'not sent' })));
    const response = await wire.response();
    expect(response.status).toBe(statusCode);
    expect(response.headers.get('x-a')).toEqual(['b']);
    expect(response.headers.has('content-length')).toBe(false);
    expect(response.headers.has('transfer-encoding')).toBe(false);
    wire.send(requestBytes(call('/echo', 'next')));
    expect(json(await wire.response())).toBe('next');
    wire.destroy();
  });

  test('with 205 has an empty body', async () => {
    const response = await ask(server.port(), call('/echo', { statusCode: 205, body: 'not sent' }));
    expect(response.headers.get('content-length')).toEqual(['0']);
  });

  test('to HEAD has the length and type of the body, and no body', async () => {
    const wire = await Wire.open(server.port());
    wire.send(requestBytes({ method: 'HEAD', path: '/text' }));
    const response = await wire.response({ method: 'HEAD' });
    expect(response.headers.get('content-length')).toEqual(['7']);
    expect(response.headers.get('content-type')).toEqual(['application/json']);
    const event = { statusCode: 200, headers: { 'content-length': '1234' } };
    wire.send(requestBytes({ ...call('/echo', event), method: 'HEAD' }));
    expect((await wire.response({ method: 'HEAD' })).headers.get('content-length')).toEqual(['1234']);
    wire.send(requestBytes({ method: 'HEAD', path: '/stream-page' }));
    expect((await wire.response({ method: 'HEAD' })).status).toBe(201);
    wire.send(requestBytes({ path: '/text' }));
    expect(json(await wire.response())).toBe('plain');
    wire.destroy();
  });

  test("keeps the framing its own, whatever the function's headers say", async () => {
    const headers = {
      'Content-Length': '1',
      'Transfer-Encoding': 'chunked',
      Connection: 'close',
      'Keep-Alive': 'timeout=1',
      Upgrade: 'x',
      Trailer: 'x',
    };
    const wire = await Wire.open(server.port());
    for (const body of ['first', 'second']) {
      wire.send(requestBytes(call('/echo', { statusCode: 200, headers, body })));
      const response = await wire.response();
      expect(response.body.toString()).toBe(body);
      expect(response.headers.get('content-length')).toEqual([String(body.length)]);
      expect(response.headers.has('transfer-encoding')).toBe(false);
    }
    wire.destroy();
  });

  test('cannot speak to the platform in the name of the runtime', async () => {
    const headers = { 'X-Sless-Busy': '1', 'x-sless-anything': '1', 'x-own': '1' };
    const response = await ask(server.port(), call('/echo', { statusCode: 429, headers, body: 'no' }));
    expect(response.status).toBe(429);
    expect([...response.headers.keys()].filter((name) => name.startsWith('x-'))).toEqual(['x-own']);
  });

  test('may be large', async () => {
    const response = await ask(server.port(), call('/many', { count: 5_000_000 }));
    expect(response.body.length).toBe(5_000_000);
  });
}
