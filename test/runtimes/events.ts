import { describe, expect, test } from 'vitest';
import type { Subject } from './cases.ts';
import { type SharedServer, sharedServer } from './shared-server.ts';
import { ask, call, json, type WireRequest, type WireResponse } from './wire.ts';

const FORM = 'application/x-www-form-urlencoded';
const JSON_TYPE = 'application/json';

/** [what, content type, body, event] */
const EVENTS: readonly [string, string | undefined, string, unknown][] = [
  ['an object', JSON_TYPE, '{"a": {"b": [1, 2.5, null, true]}}', { a: { b: [1, 2.5, null, true] } }],
  ['a list', JSON_TYPE, '[1, "a"]', [1, 'a']],
  ['a text', JSON_TYPE, '"text"', 'text'],
  ['a number', JSON_TYPE, ' -1.5e3 ', -1500],
  ['true', JSON_TYPE, 'true', true],
  ['null', JSON_TYPE, 'null', null],
  ['letters of other scripts', JSON_TYPE, '{"имя": "Ёж 🦔 \\u00e9"}', { имя: 'Ёж 🦔 é' }],
  ['a field named __proto__', JSON_TYPE, '{"__proto__": 1}', JSON.parse('{"__proto__": 1}')],
  ['JSON with parameters in its type', 'Application/JSON; charset=utf-8', '{"a":1}', { a: 1 }],
  ['JSON of a type of its own', 'application/cloudevents+json', '{"a":1}', { a: 1 }],
  ['JSON after a byte order mark', JSON_TYPE, '\ufeff{"a":1}', { a: 1 }],
  ['JSON after a byte order mark, without a type', undefined, '\ufeff[1]', [1]],
  ['JSON without a type', undefined, '{"a":1}', { a: 1 }],
  ['a text without a type', undefined, 'hello {', 'hello {'],
  [
    'form fields',
    FORM,
    'a=1&b=two+words&c=%D1%91%26%3D&d=&e',
    { a: '1', b: 'two words', c: 'ё&=', d: '', e: '' },
  ],
  ['repeated form fields', FORM, 'a=1&b=2&a=3&a=4', { a: ['1', '3', '4'], b: '2' }],
  ['broken percent signs in a form', FORM, 'a=%zz&b=100%&&c=%F', { a: '%zz', b: '100%', c: '%F' }],
  ['other letters beside broken percent signs', FORM, '%é=ж%zz%C3%A9%C3', { '%é': 'ж%zzé\ufffd' }],
  [
    'a form field named __proto__',
    FORM,
    '__proto__=1&constructor=2',
    JSON.parse('{"__proto__":"1","constructor":"2"}'),
  ],
  ['an object typed as a form, as curl does', FORM, '{"a":1}', { a: 1 }],
  ['a list typed as a form, after spaces', `${FORM}; charset=UTF-8`, ' \n[1]', [1]],
  ['a plain text', 'text/plain', '{"a":1}', '{"a":1}'],
  ['a text of any other type', 'application/xml; charset=utf-8', '<ё/>', '<ё/>'],
];

/** [what, content type, body] of what is answered with 400 and InvalidRequest. */
const REFUSED: readonly [string, string, string | Buffer][] = [
  ['JSON that breaks off', JSON_TYPE, '{"a":'],
  ['JSON with a comma too many', JSON_TYPE, '{"a":1,}'],
  ['JSON with more after it', JSON_TYPE, '{"a":1} x'],
  ['NaN, which is not JSON', JSON_TYPE, '[NaN]'],
  ['JSON that is not UTF-8', JSON_TYPE, Buffer.from([0x22, 0xff, 0x22])],
  ['nothing but spaces, typed as JSON', JSON_TYPE, '  '],
  ['a form that begins as JSON and is not', FORM, '{"a":1'],
  ['a form of 10,001 fields', FORM, Array.from({ length: 10_001 }, (_, index) => `f${index}=`).join('&')],
  ['multipart without a boundary', 'multipart/form-data', 'a'],
  [
    'multipart without its end',
    'multipart/form-data; boundary=x',
    '--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n1',
  ],
  [
    'multipart with a part that has no name',
    'multipart/form-data; boundary=x',
    '--x\r\nContent-Type: text/plain\r\n\r\n1\r\n--x--\r\n',
  ],
];

export function eventsSuite(subject: Subject): void {
  describe('the event', () => {
    const server = sharedServer(subject);
    const echo = (request: WireRequest): Promise<WireResponse> =>
      ask(server.port(), { path: '/echo', ...request });

    test.each(EVENTS)('is %s', async (_, type, body, event) => {
      const response = await echo({ headers: type === undefined ? {} : { 'content-type': type }, body });
      expect(response.status).toBe(200);
      expect(json(response)).toStrictEqual(event);
    });

    test.each(REFUSED)('is not %s: 400', async (_, type, body) => {
      const response = await echo({ headers: { 'content-type': type }, body });
      expect(response.status).toBe(400);
      expect(json(response)).toEqual({ error: expect.stringMatching(/\w+/), code: 'InvalidRequest' });
    });

    test('is the fields of the query where there is no body', async () => {
      const response = await echo({ path: '/echo?x=1&x=2&y=a+b%20c&z=' });
      expect(json(response)).toEqual({ x: ['1', '2'], y: 'a b c', z: '' });
    });

    test('is the body and not the query where there are both, in a GET as well', async () => {
      const headers = { 'content-type': JSON_TYPE };
      const response = await echo({ method: 'GET', path: '/echo?a=1', headers, body: '[2]' });
      expect(json(response)).toEqual([2]);
    });

    test('is empty where nothing came, whatever the type', async () => {
      expect(json(await echo({ path: '/echo' }))).toEqual({});
      expect(json(await echo({ headers: { 'content-type': JSON_TYPE }, body: '' }))).toEqual({});
    });

    rawBodies(server);
    multipart(server);

    test('may be nested so deeply that it cannot be read, without harm', async () => {
      const body = '['.repeat(200_000) + ']'.repeat(200_000);
      const response = await echo({ headers: { 'content-type': JSON_TYPE }, body });
      expect([200, 400, 500]).toContain(response.status);
      expect((await echo({ path: '/echo' })).status).toBe(200);
    });

    test('reaches an asynchronous function just so', async () => {
      const response = await ask(server.port(), call('/echo-later', { a: [1] }));
      expect(json(response)).toEqual({ a: [1] });
    });
  });
}

function rawBodies(server: SharedServer): void {
  const kind = async (body: Buffer, headers: Record<string, string>): Promise<unknown> =>
    json(await ask(server.port(), { path: '/kind', headers, body }));

  test('is bytes where a body is not UTF-8, typed or not', async () => {
    const body = Buffer.from([0, 0xff, 0xfe, 0x80]);
    const bytes = { kind: 'bytes', hex: '00fffe80' };
    expect(await kind(body, { 'content-type': 'image/png' })).toEqual(bytes);
    expect(await kind(body, {})).toEqual(bytes);
  });

  test('is text where a body of whatever type is UTF-8', async () => {
    const body = Buffer.from('ё\r\n');
    expect(await kind(body, { 'content-type': 'application/octet-stream' })).toEqual({
      kind: 'text',
      hex: body.toString('hex'),
    });
  });

  test('is bytes where a body is compressed: it is not what its type says', async () => {
    const headers = { 'content-type': 'application/json; charset=utf-8', 'content-encoding': 'gzip' };
    expect(await kind(Buffer.from('abc'), headers)).toEqual({ kind: 'bytes', hex: '616263' });
  });
}

function multipart(server: SharedServer): void {
  const type = 'multipart/form-data; boundary="--=x 1"';
  const send = (path: string, body: Buffer): Promise<WireResponse> =>
    ask(server.port(), { path, headers: { 'content-type': type }, body });

  test('is the fields of a multipart form, repeated ones as lists', async () => {
    const body = parts([
      ['name="a"', 'one'],
      ['name="b"', 'x\r\n--not the end'],
      ['name="a"', 'ё'],
      ['name="say %22hi%22"', ''],
    ]);
    const response = await send('/echo', body);
    expect(json(response)).toEqual({ a: ['one', 'ё'], b: 'x\r\n--not the end', 'say "hi"': '' });
  });

  test('takes spaces and tabs for blanks, and nothing else, in the head of a part', async () => {
    const body = parts([
      ['\t name="a\\\nb"', 'a line end after a backslash'],
      ['name\u00a0="c"; name="d"', 'no blank'],
    ]);
    expect(json(await send('/echo', body))).toEqual({
      'a\\\nb': 'a line end after a backslash',
      d: 'no blank',
    });
  });

  test('a part that begins with a long run of blanks costs no more than others', async () => {
    const line = `----=x 1${' '.repeat(400_000)}x\r\n\r\n----=x 1--`;
    const began = performance.now();
    expect((await send('/echo', Buffer.from(line))).status).toBe(400);
    expect(performance.now() - began).toBeLessThan(2000);
  });

  test('has the files of a multipart form with their names, types and bytes', async () => {
    const body = parts([
      ['name="plain"', 'x'],
      ['name="f"; filename="ж.bin"', Buffer.from([0, 13, 10, 0xff]), 'image/png'],
      ['name="g"; filename=g.txt', 'text'],
    ]);
    expect(json(await send('/files', body))).toEqual({
      f: { filename: 'ж.bin', contentType: 'image/png', hex: '000d0aff' },
      g: { filename: 'g.txt', contentType: 'application/octet-stream', hex: '74657874' },
    });
  });
}

function parts(list: readonly (readonly [string, string | Buffer, string?])[]): Buffer {
  const chunks = list.map(([disposition, content, type]) => {
    const typeLine = type === undefined ? '' : `Content-Type: ${type}\r\n`;
    const head = `----=x 1\r\nContent-Disposition: form-data; ${disposition}\r\n${typeLine}\r\n`;
    return Buffer.concat([Buffer.from(head), Buffer.from(content), Buffer.from('\r\n')]);
  });
  return Buffer.concat([...chunks, Buffer.from('----=x 1--\r\n')]);
}
