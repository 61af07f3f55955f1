import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import type { Runtime } from '../../src/runtimes/catalogue.ts';
import { type Served, serve, stop } from '../runtimes/server.ts';

/** Requests over one connection, most of them sound, some of them broken in one place or two. */
export interface AnyRequests {
  /** The bytes, for targets that begin with a prefix. */
  bytes(prefix: string): Buffer;
}

const eol = fc.oneof(
  { weight: 40, arbitrary: fc.constant('\r\n') },
  { weight: 1, arbitrary: fc.constantFrom('\n', '\r', '\r\r\n', '', '\r\n ') },
);
const method = fc.oneof(
  { weight: 12, arbitrary: fc.constantFrom('GET', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'PROPFIND') },
  { weight: 1, arbitrary: fc.constantFrom('get', 'G\u00c9T', '', 'A B', 'CONNECT', 'PRI', 'X-Y') },
);
const target = fc.oneof(
  { weight: 12, arbitrary: fc.stringMatching(/^\/[a-z0-9/%?&=+.-]{0,12}$/) },
  { weight: 1, arbitrary: fc.constantFrom('*', '', '/a b', '/\u00e9', 'x', '/\u0001', '/a#b', '//a', '/?') },
);
const version = fc.oneof(
  { weight: 12, arbitrary: fc.constant('HTTP/1.1') },
  {
    weight: 1,
    arbitrary: fc.constantFrom('HTTP/1.0', 'HTTP/1.2', 'HTTP/2.0', 'http/1.1', 'HTTP/1.1 ', 'HTTP/01.1'),
  },
);
const value = fc.oneof(
  { weight: 8, arbitrary: fc.stringMatching(/^[a-z0-9 ,;=]{0,12}$/) },
  { weight: 1, arbitrary: fc.constantFrom('', '\u0000', 'a\u000bb', '\u00ff', 'chunked', '0', '\t x\t') },
);
const plain = fc.tuple(
  fc.constantFrom('X-Some', 'x-some', 'Accept', 'Cookie', 'Content-Type', 'Trailer', 'TE', 'Connection'),
  value,
);
/** What decides where a body ends, said well or otherwise. */
const framing = fc.constantFrom<readonly [string, string]>(
  ...['Content-Length', 'content-length', 'Content-Length '].flatMap((name) =>
    ['0', '3', '+3', '03', '3, 3', '0x3', '3 ', '', '-1', '99999999999999999999'].map(
      (length) => [name, length] as const,
    ),
  ),
  ...['Transfer-Encoding', 'transfer-encoding', 'Transfer-Encoding\t'].flatMap((name) =>
    ['chunked', 'Chunked', ' chunked ', 'gzip', 'chunked, chunked', 'identity', 'xchunked', ''].map(
      (coding) => [name, coding] as const,
    ),
  ),
  ['Host', 'y'],
  ['Expect', '100-continue'],
  ['Expect', 'else'],
  ['Upgrade', 'websocket'],
);
const header = fc
  .tuple(
    fc.oneof({ weight: 6, arbitrary: plain }, { weight: 1, arbitrary: framing }),
    fc.oneof(
      { weight: 20, arbitrary: fc.constant(': ') },
      { weight: 1, arbitrary: fc.constantFrom(':', ' : ', '') },
    ),
    eol,
  )
  .map(([[name, of], colon, end]) => `${name}${colon}${of}${end}`);

const chunk = fc
  .tuple(
    fc.stringMatching(/^[a-z]{1,5}$/),
    fc.oneof(
      { weight: 10, arbitrary: fc.constant((size: number) => size.toString(16)) },
      {
        weight: 1,
        arbitrary: fc.constantFrom(
          (size: number) => `0${size.toString(16)}`,
          (size: number) => `+${size}`,
          (size: number) => `${size};a=b`,
          (size: number) => `${size} `,
          (size: number) => `0x${size}`,
          (size: number) => String(size + 1),
          () => '',
        ),
      },
    ),
    eol,
    eol,
  )
  .map(([data, size, first, second]) => `${size(data.length)}${first}${data}${second}`);
const last = fc.oneof(
  { weight: 10, arbitrary: fc.constant('0\r\n\r\n') },
  {
    weight: 1,
    arbitrary: fc.constantFrom('0\r\nX: y\r\n\r\n', '00\r\n\r\n', '0\n\n', '0\r\n', '0\r\nx\r\n\r\n', ''),
  },
);
/** Framing lines and the body that they speak of. */
const body = fc.oneof(
  { weight: 4, arbitrary: fc.constant(['', '']) },
  {
    weight: 3,
    arbitrary: fc.stringMatching(/^[a-z]{0,9}$/).map((data) => [`Content-Length: ${data.length}\r\n`, data]),
  },
  {
    weight: 3,
    arbitrary: fc
      .tuple(fc.array(chunk, { maxLength: 3 }), last)
      .map(([chunks, end]) => ['Transfer-Encoding: chunked\r\n', `${chunks.join('')}${end}`]),
  },
);
const request = fc
  .tuple(method, target, version, eol, fc.array(header, { maxLength: 4 }), body, eol)
  .map(([verb, path, http, first, headers, [framed = '', data = ''], end]) => (prefix: string) => {
    const at = path.startsWith('/') ? `${prefix}${path}` : path;
    return `${verb} ${at} ${http}${first}Host: x\r\n${headers.join('')}${framed}${end}${data}`;
  });

export const anyRequests: fc.Arbitrary<AnyRequests> = fc
  .array(request, { minLength: 1, maxLength: 3 })
  .map((requests) => ({
    bytes: (prefix) => Buffer.from(requests.map((of) => of(prefix)).join(''), 'latin1'),
    [fc.toStringMethod]: () => JSON.stringify(requests.map((of) => of('')).join('')),
  }));

/** One answer: its status, and where it is 200 what the function says that it saw. */
export interface Answered {
  readonly status: number;
  readonly saw: string | undefined;
}

/** A request that ends the connection: whoever takes part of it for a body, or reads one request more, shows it. */
const END = (prefix: string): string =>
  `POST ${prefix}/end HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 4\r\n\r\nlast`;
const OWING_MS = 200;
const SILENCE_MS = 5000;

/** All answers that come of these bytes and of one sound request after them, until the connection ends. */
export function exchange(port: number, requests: AnyRequests, prefix = ''): Promise<readonly Answered[]> {
  return new Promise((resolve, reject) => {
    let text = '';
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true }, () => {
      socket.write(requests.bytes(prefix));
      socket.write(END(prefix));
    });
    // Who owes part of a body says by its end that no more will come. Not before: the proxy takes an end for a caller that has left.
    socket.setTimeout(OWING_MS, () => {
      socket.end();
      socket.setTimeout(SILENCE_MS, () => {
        socket.destroy();
        reject(new Error(`silence for ${SILENCE_MS} ms after ${JSON.stringify(text)}`));
      });
    });
    socket.on('data', (piece) => {
      text += piece.toString('latin1');
    });
    socket.on('error', () => {});
    socket.on('end', () => socket.destroy());
    socket.on('close', () => resolve(answersIn(text)));
  });
}

/** Answers of Content-Length or in chunks; what is cut off is left out. */
function answersIn(text: string): readonly Answered[] {
  const found: Answered[] = [];
  for (let rest = text; rest !== ''; ) {
    const [, status = '', head = ''] = /^HTTP\/1\.1 (\d{3})[^\r\n]*\r\n([\s\S]*?\r\n)\r\n/.exec(rest) ?? [];
    if (status === '') break;
    rest = rest.slice(rest.indexOf('\r\n\r\n') + 4);
    if (status.startsWith('1')) continue;
    const length = Number(/^content-length: (\d+)/im.exec(head)?.[1] ?? 0);
    const content = rest.slice(0, length);
    rest = rest.slice(length);
    found.push({ status: Number(status), saw: status === '200' ? content : undefined });
  }
  return found;
}

const SEES: Readonly<Record<string, readonly [string, string]>> = {
  'python3.11': [
    'handler.py',
    'def handle(event, context):\n    return [context.method, context.path, context.body.hex(), context.headers.get("x-some")]\n',
  ],
  nodejs20: [
    'handler.js',
    `exports.handle = (event, { method, path, body, headers }) => [method, path, body.toString('hex'), headers['x-some'] ?? null];\n`,
  ],
};

/** A runtime whose function says what it saw of a request. */
export function serveSeeing(runtime: Runtime): Promise<Served & { end(): Promise<void> }> {
  return serveCode(runtime, SEES[runtime.name] ?? ['', '']);
}

/** A runtime with a function of one file. */
export async function serveCode(
  runtime: Runtime,
  [file, code]: readonly [string, string],
): Promise<Served & { end(): Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), 'sless-fuzz-'));
  writeFileSync(join(folder, file), code);
  const served = await serve(runtime, { folder, entrypoint: 'handler.handle' });
  return Object.assign(served, {
    end: async () => {
      await stop(served);
      rmSync(folder, { recursive: true, force: true });
    },
  });
}

/** What both took: up to where either one refused, it must be the same. */
export function agreement(
  one: readonly Answered[],
  other: readonly Answered[],
): { readonly both: readonly (readonly [Answered, Answered])[]; readonly agree: boolean } {
  const both: (readonly [Answered, Answered])[] = [];
  for (let at = 0; at < Math.min(one.length, other.length); at += 1) {
    const pair = [one[at], other[at]] as const as readonly [Answered, Answered];
    if (pair[0].status !== 200 || pair[1].status !== 200) break;
    both.push(pair);
  }
  const kind = (answers: readonly Answered[]) =>
    answers.map(({ status }) => (status === 200 ? 'ok' : 'no')).join();
  return { both, agree: kind(one) === kind(other) };
}
