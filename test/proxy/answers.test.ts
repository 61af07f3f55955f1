import type { Socket } from 'node:net';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { ORIGIN_WIDE } from '../../src/upstream/origin-wide.ts';
import { pod, raw, rawPod, rawRequest, stage } from './stage.ts';

async function answering(text: string | Buffer) {
  const { port } = await rawPod((socket) => socket.on('data', () => socket.end(text as string, 'latin1')));
  const set = await stage();
  set.serve('ns', 'f', [port]);
  return set;
}

test('gzip, br and a lying Content-Encoding arrive as the same bytes, whatever the client accepts', async () => {
  const bodies = {
    gzip: gzipSync('hello '.repeat(5000)),
    br: brotliCompressSync('hello '.repeat(5000)),
    deflate: Buffer.from('this is not deflate'),
  };
  for (const [coding, body] of Object.entries(bodies)) {
    const { port } = await pod((_, response) => {
      response.writeHead(200, { 'content-encoding': coding, 'content-length': body.length }).end(body);
    });
    const set = await stage();
    set.serve('ns', 'f', [port]);
    for (const more of ['', 'Accept-Encoding: gzip, br\r\n', 'Accept-Encoding: identity\r\n']) {
      const answer = await rawRequest(set.port, '/fn/ns/f', more);
      expect(answer.head.toLowerCase()).toContain(`content-encoding: ${coding}`);
      expect(Buffer.from(answer.body, 'latin1').equals(body)).toBe(true);
    }
  }
});

test('204, 205, 304 and 599 are passed on', async () => {
  for (const [status, fields] of [
    [204, 'Content-Length: 0\r\n'],
    [204, ''],
    [205, 'Content-Length: 0\r\n'],
    [304, 'ETag: "x"\r\nContent-Length: 7\r\n'],
    [304, 'ETag: "x"\r\n'],
    [599, 'Content-Length: 0\r\n'],
  ] as const) {
    const { port } = await answering(`HTTP/1.1 ${status} Reason\r\n${fields}\r\n`);
    const answer = await rawRequest(port, '/fn/ns/f');
    expect(answer.head.startsWith(`HTTP/1.1 ${status} Reason\r\n`)).toBe(true);
    expect(answer.body).toBe('');
    expect(answer.head).not.toMatch(/transfer-encoding/i);
    if (status === 204) expect(answer.head).not.toMatch(/content-length/i);
    if (status === 304) expect(answer.head).toContain('ETag: "x"');
  }
});

test('103 is passed on before the answer, 100 is not, 102 is', async () => {
  const interim =
    'HTTP/1.1 103 Early Hints\r\nLink: </a>; rel=preload\r\nLink: </b>; rel=preload\r\nX-Sless-A: 1\r\n\r\n';
  const { port } = await answering(
    `HTTP/1.1 100 Continue\r\n\r\n${interim}HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok`,
  );
  const { text } = await rawRequest(port, '/fn/ns/f');
  expect(text).toMatch(
    /^HTTP\/1.1 103 Early Hints\r\nLink: <\/a>; rel=preload\r\nLink: <\/b>; rel=preload\r\n\r\nHTTP\/1.1 102 Processing\r\n\r\nHTTP\/1.1 200 OK\r\n/,
  );
  expect(text).not.toContain(' 100 ');
  const old = await raw(port, 'GET /fn/ns/f HTTP/1.0\r\nHost: x\r\n\r\n');
  expect(old.text).toMatch(/^HTTP\/1.1 200 OK\r\n/);
});

test('HEAD keeps the length and has no body', async () => {
  const { port } = await pod((_, response) => {
    response.writeHead(200, { 'content-length': '12345' });
    response.end();
  });
  const set = await stage();
  set.serve('ns', 'f', [port]);
  const text = `HEAD /fn/ns/f HTTP/1.1\r\nHost: x\r\n\r\n`;
  // Twice on one connection: what follows the head is the next answer, not a body.
  const answer = await raw(set.port, `${text}${text.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n')}`);
  expect(answer.text.match(/content-length: 12345/gi)).toHaveLength(2);
  expect(answer.text.match(/HTTP\/1.1 200 OK/g)).toHaveLength(2);
});

test('HEAD of a chunked answer has no body either', async () => {
  const { port } = await answering('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n');
  const answer = await rawRequest(port, '/fn/ns/f', '', 'HEAD');
  expect(answer).toMatchObject({ status: 200, body: '' });
});

test('a body until the end of the connection arrives whole, for HTTP/1.1 and HTTP/1.0', async () => {
  const { port } = await answering('HTTP/1.1 200 OK\r\nX-A: 1\r\n\r\nall of it');
  expect((await rawRequest(port, '/fn/ns/f')).body).toBe('9\r\nall of it\r\n0\r\n\r\n');
  expect((await raw(port, 'GET /fn/ns/f HTTP/1.0\r\n\r\n')).body).toBe('all of it');
});

test('an answer that breaks off is not passed off as whole', async () => {
  for (const text of [
    'HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello',
    'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n',
    'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\nzz\r\n',
  ]) {
    const { url } = await answering(text);
    await expect(fetch(`${url}/fn/ns/f`).then((answer) => answer.text())).rejects.toThrow();
  }
});

test('an answer that is no HTTP is 502 and says so, and its connection is not used again', async () => {
  for (const text of [
    'nonsense\r\n\r\n',
    'HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    'HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello!',
    'HTTP/1.1 200 OK\r\nX: a\rb\r\n\r\n',
    `HTTP/1.1 200 OK\r\nX: ${'y'.repeat(70_000)}\r\n\r\n`,
    'HTTP/1.1 101 Switching Protocols\r\n\r\n',
    '',
  ]) {
    const { port } = await answering(text);
    const answer = await rawRequest(port, '/fn/ns/f');
    expect(answer.status, text.slice(0, 50)).toBe(502);
    expect(JSON.parse(answer.body)).toMatchObject({
      code: 'UpstreamInvalid',
      error: expect.stringContaining('the function'),
    });
  }
});

test('bytes behind an answer never become the next one', async () => {
  let connections = 0;
  const { port } = await rawPod((socket) => {
    connections += 1;
    const forged = 'HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nforged';
    socket.on('data', () => socket.write(`HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok${forged}`));
  });
  const { url, serve } = await stage();
  serve('ns', 'f', [port]);
  for (let i = 0; i < 5; i += 1) expect(await (await fetch(`${url}/fn/ns/f`)).text()).toBe('ok');
  expect(connections).toBe(5);
});

test('bytes that nobody asked for end an idle connection', async () => {
  const late: (() => void)[] = [];
  const { port, sockets } = await rawPod((socket) => {
    socket.on('data', () => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'));
    late.push(() => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nforged'));
  });
  const { url, serve } = await stage();
  serve('ns', 'f', [port]);
  expect(await (await fetch(`${url}/fn/ns/f`)).text()).toBe('ok');
  const [first] = sockets;
  const closed = new Promise((resolve) => first!.once('end', resolve));
  late[0]!();
  await closed;
  expect(await (await fetch(`${url}/fn/ns/f`)).text()).toBe('ok');
});

test.each([
  ['ends the connection', (socket: Socket) => socket.end()],
  ['resets the connection', (socket: Socket) => socket.resetAndDestroy()],
  ['ends in the middle of its head', (socket: Socket) => socket.end('HTTP/1.1 200 OK\r\nX')],
])('a function that %s during a call is said to have gone, not to speak no HTTP', async (_, leave) => {
  const { port } = await rawPod((socket) => socket.on('data', () => leave(socket)));
  const set = await stage();
  set.serve('ns', 'f', [port]);
  const answer = await rawRequest(set.port, '/fn/ns/f', '', 'POST');
  expect(answer.status).toBe(502);
  expect(JSON.parse(answer.body)).toMatchObject({
    code: 'UpstreamInvalid',
    error: "the function's process ended, or closed the connection, before it answered",
  });
});

test('two different lines of what holds one value are 502 and say which', async () => {
  const { port } = await answering(
    'HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Type: text/html\r\nContent-Length: 2\r\n\r\nok',
  );
  const answer = await rawRequest(port, '/fn/ns/f');
  expect([answer.status, JSON.parse(answer.body)]).toEqual([
    502,
    {
      error: "the function's answer is not valid HTTP: it has two different content-type lines",
      code: 'UpstreamInvalid',
    },
  ]);
});

test.each([
  'zz\r\n',
  '-1\r\n',
  ' 5\r\nhello\r\n0\r\n\r\n',
  '5\nhello\n0\n\n',
  '\r\n',
  'fffffffffffffff\r\n',
  '0x5\r\nhello\r\n',
])('chunks that begin with %j are 502, not a broken connection', async (chunks) => {
  const head = 'HTTP/1.1 200 OK\r\nX-Of-Function: yes\r\nTransfer-Encoding: chunked\r\n\r\n';
  const { port } = await answering(head + chunks);
  const text = 'POST /fn/ns/f HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nab';
  // The caller's connection goes on.
  const answer = await raw(port, `${text}${text.replace('Host', 'Connection: close\r\nHost')}`);
  expect(answer.text.match(/HTTP\/1\.1 502 /g)).toHaveLength(2);
  expect(answer.text.match(/"code":"UpstreamInvalid"/g)).toHaveLength(2);
  expect(answer.text).not.toContain('X-Of-Function');
});

test('a head that comes alone is passed on at once, and what breaks later ends the connection', async () => {
  let pod: Socket | undefined;
  const { port } = await rawPod((socket) =>
    socket.on('data', () => {
      pod = socket;
      socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n');
    }),
  );
  const set = await stage();
  set.serve('ns', 'f', [port]);
  let told = false;
  const answer = await raw(set.port, 'GET /fn/ns/f HTTP/1.1\r\nHost: x\r\n\r\n', (text) => {
    if (!told && text.includes('\r\n\r\n')) pod?.write('5\r\nhello\r\nzz\r\n');
    told ||= text.includes('\r\n\r\n');
    return false;
  });
  expect(answer.status).toBe(200);
  expect(answer.body).not.toContain('0\r\n\r\n');
});

const ORIGIN_WIDE_FIELDS = Object.keys(ORIGIN_WIDE).map((name) => `${name}: x\r\n`);
const OF_ITS_OWN = [
  ...['Reporting-Endpoints: x="/r"', 'Permissions-Policy: camera=()', 'Set-Cookie: a=b'],
  'Cross-Origin-Opener-Policy: same-origin',
];

test.each([
  ['beside api and console', {}, 'x', false],
  ['on a host for functions', { host: 'fn.example.com' }, 'fn.example.com', true],
  ['on a host of its own', { domain: 'fn.example.com' }, 'f--ns.fn.example.com', true],
])('%s, a function says for the whole origin: %s', async (_, options, host, passes) => {
  const own = OF_ITS_OWN.map((line) => `${line}\r\n`).join('');
  const { port } = await rawPod((socket) =>
    socket.on('data', () =>
      socket.end(
        `HTTP/1.1 103 Early Hints\r\n${ORIGIN_WIDE_FIELDS.join('')}\r\n` +
          `HTTP/1.1 200 OK\r\n${ORIGIN_WIDE_FIELDS.join('').toUpperCase()}${own}Content-Length: 2\r\n\r\nok`,
      ),
    ),
  );
  const set = await stage(options);
  set.serve('ns', 'f', [port]);
  const path = 'domain' in options ? '/' : '/fn/ns/f';
  const answer = await raw(set.port, `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
  for (const name of Object.keys(ORIGIN_WIDE)) {
    const lines = answer.text.match(new RegExp(`^${name}: x\r$`, 'gim')) ?? [];
    expect([name, lines.length]).toEqual([name, passes ? 2 : 0]);
  }
  for (const line of OF_ITS_OWN) expect(answer.text).toContain(`${line}\r\n`);
});

test('what a caller says under such names arrives', async () => {
  const { port } = await pod((request, response) => response.end(JSON.stringify(request.headers)));
  const set = await stage();
  set.serve('ns', 'f', [port]);
  const more = 'ETag: "a"\r\nDate: yesterday\r\nContent-Disposition: inline\r\nAccept-CH: x\r\n';
  expect(JSON.parse((await rawRequest(set.port, '/fn/ns/f', more)).body)).toMatchObject({
    etag: '"a"',
    date: 'yesterday',
    'content-disposition': 'inline',
    'accept-ch': 'x',
  });
});
