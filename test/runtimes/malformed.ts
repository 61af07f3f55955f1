import { writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { ERRORS } from '../../src/errors.ts';
import type { Subject } from './cases.ts';
import { sharedServer } from './shared-server.ts';
import { ask, json, Wire } from './wire.ts';

const HOST = 'Host: test\r\n';
const post = (headers: string, body: string): string => `POST /echo HTTP/1.1\r\n${HOST}${headers}\r\n${body}`;
const chunked = (body: string): string => post('Transfer-Encoding: chunked\r\n', body);
const get = (headers: string): string => `GET /echo HTTP/1.1\r\n${HOST}${headers}\r\n`;

/** Each could be read in two ways, or not at all. */
const MALFORMED: readonly [string, string][] = [
  // Two lengths
  ['Content-Length beside chunked', post('Content-Length: 3\r\nTransfer-Encoding: chunked\r\n', '0\r\n\r\n')],
  ['chunked beside Content-Length', post('Transfer-Encoding: chunked\r\nContent-Length: 5\r\n', '0\r\n\r\n')],
  ['two different lengths', post('Content-Length: 1\r\nContent-Length: 2\r\n', 'ab')],
  ['the same length twice', post('Content-Length: 1\r\nContent-Length: 1\r\n', 'a')],
  ['a list of lengths', post('Content-Length: 1, 1\r\n', 'a')],
  ['a length with a sign', post('Content-Length: +1\r\n', 'a')],
  ['a negative length', post('Content-Length: -1\r\n', 'a')],
  ['a hexadecimal length', post('Content-Length: 0x1\r\n', 'a')],
  ['a length with a space in it', post('Content-Length: 1 0\r\n', '0123456789')],
  ['a length beyond all bounds', post('Content-Length: 99999999999999999999999\r\n', 'a')],
  ['a length of a superscript two', post('Content-Length: \u00b2\r\n', 'ab')],
  // Codings
  ['another transfer-encoding', post('Transfer-Encoding: gzip\r\n', 'a')],
  ['chunked after another coding', post('Transfer-Encoding: gzip, chunked\r\n', '0\r\n\r\n')],
  ['chunked before another coding', post('Transfer-Encoding: chunked, gzip\r\n', '0\r\n\r\n')],
  ['chunked twice', post('Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n', '0\r\n\r\n')],
  ['a vertical tab before chunked', post('Transfer-Encoding: \u000bchunked\r\n', '0\r\n\r\n')],
  ['a word that begins with chunked', post('Transfer-Encoding: chunkedx\r\n', '0\r\n\r\n')],
  ['an empty transfer-encoding', post('Transfer-Encoding:\r\n', '')],
  ['chunked in HTTP/1.0', 'POST /echo HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'],
  // Chunks
  ['a chunk size with a sign', chunked('+1\r\na\r\n0\r\n\r\n')],
  ['a chunk size with 0x', chunked('0x1\r\na\r\n0\r\n\r\n')],
  ['a chunk size with an underscore', chunked('1_0\r\n0123456789abcdef\r\n0\r\n\r\n')],
  ['an empty chunk size', chunked('\r\na\r\n0\r\n\r\n')],
  ['a chunk longer than its size', chunked('1\r\nabc\r\n0\r\n\r\n')],
  ['a chunk without its line end', chunked('1\r\na0\r\n\r\n')],
  ['a chunk that ends in a bare LF', chunked('1\r\na\n0\r\n\r\n')],
  ['a chunk size that ends in a bare LF', chunked('1\na\r\n0\r\n\r\n')],
  ['a chunk size beyond all bounds', chunked('fffffffffffffffffffff\r\n')],
  ['a chunk size that is negative as a machine number', chunked('ffffffffffffffff0\r\na\r\n')],
  ['a chunk size line without an end', chunked(`1;${'x'.repeat(20_000)}`)],
  ['a trailer without a colon', chunked('0\r\nx\r\n\r\n')],
  // Line ends and controls
  ['bare LF line ends', 'GET /echo HTTP/1.1\nHost: test\n\n'],
  ['a bare LF after a header', `GET /echo HTTP/1.1\r\n${HOST}X: a\nY: b\r\n\r\n`],
  ['a bare CR in a header', get('X: a\rY: b\r\n')],
  ['a NUL in a header', get('X: a\u0000b\r\n')],
  ['a control character in a header', get('X: a\u0001b\r\n')],
  ['a DEL in the target', `GET /a\u007f HTTP/1.1\r\n${HOST}\r\n`],
  // Headers
  ['a space before the colon', get('X : a\r\n')],
  ['a tab before the colon', get('Content-Length\t: 5\r\n')],
  ['a folded header', get('X: a\r\n b\r\n')],
  ['a space before the first header', `GET /echo HTTP/1.1\r\n X: a\r\n${HOST}\r\n`],
  ['a header without a colon', get('nothing\r\n')],
  ['a header without a name', get(': a\r\n')],
  ['a header name with brackets', get('X(y): a\r\n')],
  ['a header name of other letters', get('\u00e9: a\r\n')],
  ['no Host', 'GET /echo HTTP/1.1\r\nX: a\r\n\r\n'],
  ['two Hosts', `GET /echo HTTP/1.1\r\n${HOST}Host: other\r\n\r\n`],
  // Request line
  ['no version', `GET /echo\r\n${HOST}\r\n`],
  ['a version that is none', `GET /echo HTTP/1.x\r\n${HOST}\r\n`],
  ['a lower-case version', `GET /echo http/1.1\r\n${HOST}\r\n`],
  ['HTTP/2.0', `GET /echo HTTP/2.0\r\n${HOST}\r\n`],
  ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
  ['a space in the target', `GET /a b HTTP/1.1\r\n${HOST}\r\n`],
  ['letters in the target that are not encoded', `GET /\u00d1\u0091 HTTP/1.1\r\n${HOST}\r\n`],
  ['a tab for a space', `GET\t/echo HTTP/1.1\r\n${HOST}\r\n`],
  ['a target without a slash', `GET echo HTTP/1.1\r\n${HOST}\r\n`],
  ['an asterisk for a GET', `GET * HTTP/1.1\r\n${HOST}\r\n`],
  ['an absolute target of another scheme', `GET ftp://a/echo HTTP/1.1\r\n${HOST}\r\n`],
  ['an absolute target with a user', `GET http://a@b/echo HTTP/1.1\r\n${HOST}\r\n`],
  ['a method that is no token', `G{ET /echo HTTP/1.1\r\n${HOST}\r\n`],
  ['CONNECT', `CONNECT a:1 HTTP/1.1\r\n${HOST}\r\n`],
  // Not HTTP
  ['the beginning of TLS', '\u0016\u0003\u0001\u0000\u00a5\u0001\u0000\u0000\u00a1\u0003\u0003'],
  ['noise', '\u0000\u0001\u0002\u0003\r\n\r\n'],
];

export function malformedSuite(subject: Subject): void {
  describe('malformed HTTP', () => {
    const server = sharedServer(subject);

    test.each(MALFORMED)('is refused: %s', async (_, bytes) => {
      const wire = await Wire.open(server.port());
      // What follows must not be taken for a second request: the connection is at its end.
      wire.send(bytes);
      wire.send(`GET /text HTTP/1.1\r\n${HOST}\r\n`);
      const response = await wire.response();
      expect(response.status).toBeGreaterThanOrEqual(400);
      expect(response.status).toBeLessThan(600);
      expect(response.status).not.toBe(500);
      expect(response.headers.get('connection')).toEqual(['close']);
      const { error, code } = json(response) as { error: string; code: string };
      expect(error).toMatch(/\w+/);
      expect(Object.keys(ERRORS)).toContain(code);
      wire.finish();
      expect((await wire.untilClosed()).toString()).toBe('');
    });

    test('does no harm to the next connection', async () => {
      expect((await ask(server.port(), { path: '/text' })).status).toBe(200);
      expect(server.output()).not.toContain('fault of the runtime');
    });

    test('does not take the place of the answer to what was asked before it', async () => {
      const until = subject.freshPath();
      const wire = await Wire.open(server.port());
      const body = JSON.stringify({ until });
      const type = 'Content-Type: application/json\r\n';
      const id = 'X-Request-Id: before the broken\r\n';
      wire.send(`POST /wait HTTP/1.1\r\n${HOST}${type}${id}Content-Length: ${body.length}\r\n\r\n${body}`);
      wire.send(get('X : a\r\n'));
      await server.logged('waiting before the broken');
      writeFileSync(until, '');
      expect(json(await wire.response())).toBe('waited');
      expect((await wire.response()).status).toBe(400);
      expect((await wire.untilClosed()).length).toBe(0);
    });
  });
}
