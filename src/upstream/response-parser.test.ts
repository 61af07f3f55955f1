import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { budget } from '../../test/fuzz/budget.ts';
import { isSlessError } from '../errors.ts';
import { ResponseParser } from './response-parser.ts';

interface Outcome {
  readonly interim: number[];
  readonly status: number | undefined;
  readonly fields: readonly string[] | undefined;
  readonly body: string;
  /** `complete`, `open` (more is needed), or the code of the error. */
  readonly end: string;
  /** Bytes that follow the response. */
  readonly rest: string;
  readonly keepAlive: boolean | undefined;
}

interface Asked {
  readonly method?: string;
  readonly upgrade?: boolean;
  /** Whether the connection ends after the bytes. */
  readonly closed?: boolean;
}

/** Feeds the pieces one after the other, each in memory that is overwritten afterwards, as a socket's reads are. */
function read(pieces: readonly string[], asked: Asked = {}): Outcome {
  const interim: number[] = [];
  let status: number | undefined;
  let fields: readonly string[] | undefined;
  let keepAlive: boolean | undefined;
  let body = '';
  let rest = '';
  let end = 'open';
  const parser = new ResponseParser({
    information: (head) => interim.push(head.status),
    head: (head) => {
      ({ status, fields, keepAlive } = head);
    },
    body: (buffer, start, stop) => {
      body += buffer.toString('latin1', start, stop);
    },
  });
  parser.expect(asked.method ?? 'GET', asked.upgrade ?? false);
  try {
    for (const piece of pieces) {
      const buffer = Buffer.from(piece, 'latin1');
      const at = parser.execute(buffer, 0, buffer.length);
      rest += piece.slice(at);
      buffer.fill(0);
    }
    if (asked.closed === true) parser.finish();
    if (parser.complete) end = 'complete';
  } catch (error) {
    end = isSlessError(error) ? error.code : String(error);
  }
  return { interim, status, fields, body, end, rest, keepAlive };
}

const answer = (fields: string, body = '', line = 'HTTP/1.1 200 OK'): string =>
  `${line}\r\n${fields === '' ? '' : `${fields}\r\n`}\r\n${body}`;

describe('bodies', () => {
  test('a length', () => {
    expect(read([answer('Content-Length: 5', 'hello')])).toMatchObject({ body: 'hello', end: 'complete' });
  });
  test('a length of nothing', () => {
    expect(read([answer('Content-Length: 0')])).toMatchObject({ body: '', end: 'complete' });
  });
  test('a length said twice alike', () => {
    expect(read([answer('Content-Length: 5\r\nContent-Length: 5', 'hello')]).end).toBe('complete');
  });
  test('chunks with extensions and trailers', () => {
    const body = '5;a=b;c="d"\r\nhello\r\n1 \r\n!\r\n0\r\nX-T: 1\r\nX-U: 2\r\n\r\n';
    expect(read([answer('Transfer-Encoding: Chunked', body)])).toMatchObject({
      body: 'hello!',
      end: 'complete',
    });
  });
  test('until the connection ends', () => {
    const text = answer('X: y', 'all of it');
    expect(read([text])).toMatchObject({ body: 'all of it', end: 'open', keepAlive: false });
    expect(read([text], { closed: true }).end).toBe('complete');
  });
  test.each([204, 304])('none with %i, whatever the head says', (status) => {
    expect(read([answer('Content-Length: 5', '', `HTTP/1.1 ${status} x`)])).toMatchObject({
      body: '',
      end: 'complete',
    });
  });
  test('none for HEAD, whatever the head says', () => {
    for (const fields of ['Content-Length: 5', 'Transfer-Encoding: chunked', '']) {
      expect(read([answer(fields)], { method: 'HEAD' })).toMatchObject({ body: '', end: 'complete' });
    }
  });
  test('bytes that follow are told apart', () => {
    expect(read([answer('Content-Length: 2', 'okHTTP/1.1 200')])).toMatchObject({
      end: 'complete',
      rest: 'HTTP/1.1 200',
    });
    expect(read([answer('Transfer-Encoding: chunked', '0\r\n\r\nx')])).toMatchObject({
      end: 'complete',
      rest: 'x',
    });
  });
  test('an end in the middle is not an end', () => {
    for (const text of [
      '',
      'HTTP/1.1',
      answer('Content-Length: 5', 'hell'),
      answer('Transfer-Encoding: chunked', '5\r\nhello\r\n'),
    ]) {
      expect(read([text], { closed: true }).end).toBe('UpstreamInvalid');
    }
  });
});

describe('heads', () => {
  test('case, order and repetitions are kept; blanks around values are not', () => {
    const { fields } = read([answer('Set-Cookie: a=1\r\nset-cookie:\t b=2 \r\nX:\r\nLink: <a>; rel="x, y"')]);
    expect(fields).toEqual(['Set-Cookie', 'a=1', 'set-cookie', 'b=2', 'X', '', 'Link', '<a>; rel="x, y"']);
  });
  test('no reason, a strange reason, a strange status', () => {
    for (const line of ['HTTP/1.1 200', 'HTTP/1.1 200 ', 'HTTP/1.1 599 Gr\xfc\xdfe', 'HTTP/1.1 999 x']) {
      expect(read([answer('Content-Length: 0', '', line)]).end).toBe('complete');
    }
  });
  test('HTTP/1.0 ends with its connection', () => {
    const fields = 'Content-Length: 0\r\nConnection: keep-alive';
    expect(read([answer(fields, '', 'HTTP/1.0 200 OK')]).keepAlive).toBe(false);
  });
  test.each([
    ['Connection: close', false],
    ['Connection: foo, Close', false],
    ['Connection: keep-alive', true],
    ['Connection: x-close', true],
    ['X: close', true],
  ])('%s: reusable %s', (field, reusable) => {
    expect(read([answer(`Content-Length: 0\r\n${field}`)]).keepAlive).toBe(reusable);
  });
  test('interim answers come first, 100 is swallowed', () => {
    const text = `${answer('', '', 'HTTP/1.1 100 Continue')}${answer('Link: <a>', '', 'HTTP/1.1 103 Early Hints')}`;
    expect(read([text + answer('Content-Length: 0')])).toMatchObject({
      interim: [103],
      status: 200,
      end: 'complete',
    });
  });
  test('101 is complete where it was asked for', () => {
    const text = `${answer('Upgrade: websocket', '', 'HTTP/1.1 101 Switching Protocols')}\x81\x00`;
    expect(read([text], { upgrade: true })).toMatchObject({ status: 101, end: 'complete', rest: '\x81\x00' });
  });
});

describe('what is not HTTP', () => {
  test.each([
    ['length beside chunked', answer('Content-Length: 5\r\nTransfer-Encoding: chunked', '0\r\n\r\n')],
    ['chunked beside length', answer('Transfer-Encoding: chunked\r\nContent-Length: 5', '0\r\n\r\n')],
    ['two lengths', answer('Content-Length: 5\r\nContent-Length: 6', 'hello')],
    ['a list of lengths', answer('Content-Length: 5, 5', 'hello')],
    ['a signed length', answer('Content-Length: +5', 'hello')],
    ['a negative length', answer('Content-Length: -5', 'hello')],
    ['a hexadecimal length', answer('Content-Length: 0x5', 'hello')],
    ['a fraction', answer('Content-Length: 5.0', 'hello')],
    ['an empty length', answer('Content-Length:', 'hello')],
    ['a length beyond all numbers', answer(`Content-Length: ${'9'.repeat(16)}`, 'hello')],
    ['gzip, chunked', answer('Transfer-Encoding: gzip, chunked', '0\r\n\r\n')],
    ['chunked twice', answer('Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked', '0\r\n\r\n')],
    ['xchunked', answer('Transfer-Encoding: xchunked', '0\r\n\r\n')],
    ['identity', answer('Transfer-Encoding: identity', 'x')],
    ['an empty coding', answer('Transfer-Encoding:', 'x')],
    ['chunked in HTTP/1.0', answer('Transfer-Encoding: chunked', '0\r\n\r\n', 'HTTP/1.0 200 OK')],
    ['a bare LF in the head', 'HTTP/1.1 200 OK\nX: y\r\n\r\n'],
    ['bare LFs all over', 'HTTP/1.1 200 OK\nContent-Length: 0\n\n'],
    ['a bare CR in a value', answer('X: a\rb')],
    ['NUL in a value', answer('X: a\0b')],
    ['NUL in a name', answer('X\0: b')],
    ['a control character', answer('X: a\x01b')],
    ['DEL', answer('X: a\x7fb')],
    ['a folded line', answer('X: a\r\n b')],
    ['a line without a colon', answer('hello')],
    ['a name with a blank', answer('X : y')],
    ['no name', answer(': y')],
    ['a name of other letters', answer('\xdc: y')],
    ['another protocol', 'SSH-2.0-OpenSSH\r\n\r\n'],
    ['the beginning of another protocol', 'SSH'],
    ['HTTP/2', answer('', '', 'HTTP/2 200 OK')],
    ['HTTP/1.2', answer('', '', 'HTTP/1.2 200 OK')],
    ['two digits', answer('', '', 'HTTP/1.1 20 OK')],
    ['four digits', answer('', '', 'HTTP/1.1 2000 OK')],
    ['status 099', answer('', '', 'HTTP/1.1 099 x')],
    ['two blanks', answer('', '', 'HTTP/1.1  200 OK')],
    ['a blank first', ` ${answer('')}`],
    ['an empty line first', `\r\n${answer('')}`],
    ['101 unasked', answer('Upgrade: x', '', 'HTTP/1.1 101 x')],
    ['a head beyond 64 KiB', answer(`X: ${'y'.repeat(65_536)}`)],
    ['an endless head', `HTTP/1.1 200 OK\r\nX: ${'y'.repeat(70_000)}`],
    ['interim answers without end', answer('', '', 'HTTP/1.1 103 x').repeat(17)],
    ['a chunk size of no digits', answer('Transfer-Encoding: chunked', '\r\nx')],
    ['a chunk size with 0x', answer('Transfer-Encoding: chunked', '0x5\r\nhello\r\n')],
    ['a negative chunk size', answer('Transfer-Encoding: chunked', '-5\r\nhello\r\n')],
    ['a blank before a chunk size', answer('Transfer-Encoding: chunked', ' 5\r\nhello\r\n')],
    ['a chunk size beyond all numbers', answer('Transfer-Encoding: chunked', `${'f'.repeat(14)}\r\n`)],
    ['a chunk line that ends in LF', answer('Transfer-Encoding: chunked', '5\nhello\r\n')],
    ['a chunk line with a bare CR', answer('Transfer-Encoding: chunked', '5\rx\r\nhello\r\n')],
    ['a chunk longer than it says', answer('Transfer-Encoding: chunked', '5\r\nhello!\r\n')],
    ['a chunk that ends in LF', answer('Transfer-Encoding: chunked', '5\r\nhello\n0\r\n')],
    ['a chunk line without end', answer('Transfer-Encoding: chunked', `5;${'x'.repeat(5000)}`)],
    ['a malformed trailer', answer('Transfer-Encoding: chunked', '0\r\nhello\r\n\r\n')],
    ['a trailer with a bare LF', answer('Transfer-Encoding: chunked', '0\r\nX: y\n\r\n')],
    [
      'endless trailers',
      answer('Transfer-Encoding: chunked', `0\r\n${`X: ${'y'.repeat(1000)}\r\n`.repeat(70)}`),
    ],
  ])('%s', (_, text) => {
    expect(read([text]).end).toBe('UpstreamInvalid');
  });
});

describe('however the bytes are cut', () => {
  const token = fc.constantFrom(
    ...[
      'HTTP/1.1 200 OK\r\n',
      'HTTP/1.1 103 x\r\n',
      'HTTP/1.1 204 x\r\n',
      'HTTP/1.0 200 x\r\n',
      '\r\n',
      '\r',
      '\n',
    ],
    ...[
      'Content-Length: 3\r\n',
      'Content-Length: 7\r\n',
      'Transfer-Encoding: chunked\r\n',
      'X: y\r\n',
      'a',
      'abc',
    ],
    ...[
      '3\r\nabc\r\n',
      '0\r\n\r\n',
      '0\r\n',
      '5;x\r\n',
      '1',
      ':',
      ' ',
      '\0',
      'Connection: close\r\n',
      '\xff',
    ],
  );
  const bytes = fc.oneof(
    fc.array(token, { maxLength: 14 }).map((tokens) => tokens.join('')),
    fc.array(token, { maxLength: 10 }).map((tokens) => `HTTP/1.1 200 OK\r\n${tokens.join('')}`),
    fc
      .array(fc.string({ minLength: 1, maxLength: 300 }), { maxLength: 5 })
      .map((chunks) =>
        answer(
          'Transfer-Encoding: chunked',
          `${chunks.map((c) => `${Buffer.from(c).length.toString(16)}\r\n${Buffer.from(c).toString('latin1')}\r\n`).join('')}0\r\nT: u\r\n\r\n`,
        ),
      ),
  );
  const cut = (text: string, points: readonly number[]): string[] => {
    const at = [...new Set(points.map((point) => point % (text.length + 1)))].sort((a, b) => a - b);
    return [0, ...at].map((start, i) => text.slice(start, at[i] ?? text.length));
  };

  test('the outcome is the same', () => {
    const asked = fc.record({
      method: fc.constantFrom('GET', 'HEAD'),
      upgrade: fc.boolean(),
      closed: fc.boolean(),
    });
    fc.assert(
      fc.property(bytes, fc.array(fc.nat(), { maxLength: 8 }), asked, (text, points, how) => {
        const whole = read([text], how);
        const pieces = read(cut(text, points), how);
        const bytewise = read([...text], how);
        expect(pieces).toEqual(whole);
        expect(bytewise).toEqual(whole);
      }),
      budget(5000),
    );
  });

  test('a large head and body in every size of read', () => {
    const text = answer(`X: ${'y'.repeat(9000)}\r\nContent-Length: 5000`, 'z'.repeat(5000));
    for (const size of [1, 7, 2047, 2048, 2049, 9000, 14_000]) {
      const pieces = text.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? [];
      expect(read(pieces)).toMatchObject({ end: 'complete', body: 'z'.repeat(5000) });
    }
  });
});

describe('fields that hold one value', () => {
  const NAMES = [
    ...['Content-Type', 'Location', 'Content-Location', 'Content-Range', 'Content-Disposition', 'ETag'],
    ...['Last-Modified', 'Expires', 'Age', 'Retry-After', 'Access-Control-Allow-Origin'],
  ];

  test.each(NAMES)('%s twice alike is one line, twice differently no answer', (name) => {
    const twice = (second: string): string => answer(`${name}: a\r\nX: y\r\n${second}\r\nContent-Length: 0`);
    expect(read([twice(`${name.toLowerCase()}:  a `)])).toMatchObject({
      end: 'complete',
      fields: [name, 'a', 'X', 'y', 'Content-Length', '0'],
    });
    expect(read([twice(`${name.toUpperCase()}: b`)]).end).toBe('UpstreamInvalid');
    expect(read([twice(`${name}: a, a`)]).end).toBe('UpstreamInvalid');
  });

  test('of two dates the first one counts: servers add theirs', () => {
    const dates = 'Date: Mon, 01 Jan 2024 00:00:00 GMT\r\ndate: Mon, 01 Jan 2024 00:00:01 GMT';
    expect(read([answer(`${dates}\r\nContent-Length: 0`)]).fields).toEqual([
      'Date',
      'Mon, 01 Jan 2024 00:00:00 GMT',
      'Content-Length',
      '0',
    ]);
  });

  test.each(['Set-Cookie', 'Link', 'Vary', 'Cache-Control', 'WWW-Authenticate', 'Server', 'X-Any'])(
    '%s holds several, and keeps its lines',
    (name) => {
      const fields = `${name}: a\r\n${name}: b\r\n${name}: a\r\nContent-Length: 0`;
      expect(read([answer(fields)]).fields?.filter((text) => text === name)).toHaveLength(3);
    },
  );
});
