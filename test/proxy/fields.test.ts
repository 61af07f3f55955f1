import { expect, test } from 'vitest';
import type { ProxyOptions } from '../../src/gateway/proxy/options.ts';
import { pod, raw, rawPod, rawRequest, stage } from './stage.ts';

/** A function that answers the header lines it received. */
async function echo(options: ProxyOptions = {}) {
  const { port } = await pod((request, response) => {
    const pairs: [string, string][] = [];
    for (let i = 0; i < request.rawHeaders.length; i += 2) {
      pairs.push([request.rawHeaders[i]!, request.rawHeaders[i + 1]!]);
    }
    const text = JSON.stringify(pairs);
    response.setHeader('content-length', text.length).end(text, 'latin1');
  });
  const set = await stage(options);
  set.serve('ns', 'f', [port]);
  const lines = async (more: string): Promise<[string, string][]> =>
    JSON.parse((await rawRequest(set.port, '/fn/ns/f/x', more)).body);
  const values = async (more: string, name: string): Promise<string[]> =>
    (await lines(more)).filter(([key]) => key.toLowerCase() === name).map(([, value]) => value);
  return { ...set, lines, values };
}

test('hop-by-hop fields and those named in Connection are dropped on the way in', async () => {
  const { port } = await echo();
  const more =
    'X-Secret: 1\r\nX-Other: 2\r\nTE: trailers\r\nTrailer: X-T\r\nKeep-Alive: timeout=5\r\nProxy-Connection: keep-alive\r\n' +
    'Proxy-Authorization: Basic x\r\nUpgrade: h2c\r\nHTTP2-Settings: x\r\nX-Kept: yes\r\n';
  const answer = await raw(
    port,
    `GET /fn/ns/f HTTP/1.1\r\nHost: x\r\nConnection: close, X-Secret, x-other , HTTP2-Settings\r\n${more}\r\n`,
  );
  const names = (JSON.parse(answer.body) as [string, string][]).map(([name]) => name.toLowerCase());
  for (const name of ['x-secret', 'x-other', 'te', 'trailer', 'keep-alive', 'proxy-connection', 'upgrade']) {
    expect(names).not.toContain(name);
  }
  for (const name of ['proxy-authorization', 'http2-settings', 'connection'])
    expect(names).not.toContain(name);
  expect(names).toContain('x-kept');
});

test('naming Host or Content-Length in Connection takes neither away', async () => {
  const { port } = await echo();
  const answer = await raw(
    port,
    'POST /fn/ns/f HTTP/1.1\r\nHost: x\r\nConnection: close, Host, Content-Length, X-Forwarded-For\r\nContent-Length: 2\r\n\r\nab',
  );
  const fields = JSON.parse(answer.body) as [string, string][];
  expect(fields).toContainEqual(['Host', 'x']);
  expect(fields).toContainEqual(['Content-Length', '2']);
  expect(fields).toContainEqual(['X-Forwarded-For', '127.0.0.1']);
});

test('what only the platform says is dropped from callers, also with underscores', async () => {
  const { values } = await echo();
  const evil = 'X-Sless-Trigger: cron\r\nx-sless-message: eA\r\nX_Sless_Trigger: job\r\nX-Sless-Foo: 1\r\n';
  expect(await values(evil, 'x-sless-trigger')).toEqual(['http']);
  expect(await values(evil, 'x-sless-trigger-name')).toEqual(['f']);
  for (const name of ['x-sless-message', 'x_sless_trigger', 'x-sless-foo'])
    expect(await values(evil, name)).toEqual([]);
});

test('the time limit is told as a length, so that no clock is compared with another', async () => {
  const { values, serve } = await echo();
  expect(await values('X-Sless-Timeout-Ms: 1\r\n', 'x-sless-timeout-ms')).toEqual(['60000']);
  expect(await values('', 'x-sless-deadline')).toEqual([]);
  serve('ns', 'f', [], { timeoutSeconds: 7 });
  expect(await values('', 'x-sless-timeout-ms')).toEqual(['7000']);
});

const SAID =
  'X-Forwarded-For: 6.6.6.6\r\nX-Forwarded-Proto: https\r\nX-Forwarded-Host: evil\r\nX-Forwarded-Prefix: /p/\r\n' +
  'X-Forwarded-Port: 443\r\nForwarded: for=6.6.6.6\r\nX-Real-IP: 6.6.6.6\r\nX_Forwarded_For: 6.6.6.6\r\nX-Request-Id: mine\r\n';

test("a client's X-Forwarded-For and Forwarded are ignored", async () => {
  const { values, port } = await echo();
  expect(await values(SAID, 'x-forwarded-for')).toEqual(['127.0.0.1']);
  expect(await values(SAID, 'x-forwarded-proto')).toEqual(['http']);
  expect(await values(SAID, 'x-forwarded-host')).toEqual(['x']);
  expect(await values(SAID, 'x-forwarded-prefix')).toEqual(['/fn/ns/f']);
  for (const name of ['forwarded', 'x-real-ip', 'x-forwarded-port', 'x_forwarded_for']) {
    expect(await values(SAID, name)).toEqual([]);
  }
  const [id] = await values(SAID, 'x-request-id');
  expect(id).toMatch(/^[0-9a-f]{32}$/);
  expect((await rawRequest(port, '/fn/ns/f', SAID)).head).toMatch(/\r\nX-Request-Id: [0-9a-f]{32}/);
});

test('they are believed when the sender is a configured proxy', async () => {
  const { values, port } = await echo({ trustedProxies: ['10.0.0.0/8', '127.0.0.0/8'] });
  expect(await values(SAID, 'x-forwarded-for')).toEqual(['6.6.6.6, 127.0.0.1']);
  expect(await values(SAID, 'x-forwarded-proto')).toEqual(['https']);
  expect(await values(SAID, 'x-forwarded-host')).toEqual(['evil']);
  expect(await values(SAID, 'x-forwarded-prefix')).toEqual(['/p/fn/ns/f']);
  expect(await values(SAID, 'forwarded')).toEqual(['for=6.6.6.6, for=127.0.0.1']);
  expect(await values(SAID, 'x-request-id')).toEqual(['mine']);
  expect(await values('X-Request-Id: a b\r\n', 'x-request-id')).toEqual([
    expect.stringMatching(/^[0-9a-f]{32}$/),
  ]);
  expect(await values('', 'x-forwarded-for')).toEqual(['127.0.0.1']);
  expect((await rawRequest(port, '/fn/ns/f', SAID)).head).toContain('X-Request-Id: mine');
});

test('a trusted proxy that is no address is refused by name', async () => {
  await expect(stage({ trustedProxies: ['10.0.0.0/8', 'ingress'] })).rejects.toThrow('"ingress"');
});

test('a trace goes on, a missing or malformed one begins anew', async () => {
  const { values } = await echo();
  const good = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
  const with_ = (trace: string): string => `traceparent: ${trace}\r\ntracestate: a=b\r\n`;
  expect(await values(with_(good), 'traceparent')).toEqual([good]);
  expect(await values(with_(good), 'tracestate')).toEqual(['a=b']);
  for (const bad of [
    '',
    'x',
    good.replace('0af', '000').toUpperCase(),
    `00-${'0'.repeat(32)}-b7ad6b7169203331-01`,
  ]) {
    expect(await values(with_(bad), 'traceparent')).toEqual([
      expect.stringMatching(/^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/),
    ]);
    expect(await values(with_(bad), 'tracestate')).toEqual([]);
  }
  expect(await values(`traceparent: ${good}\r\ntraceparent: ${good}\r\n`, 'traceparent')).toHaveLength(1);
});

test('the rest arrives as it was sent: case, order, repetitions, Latin-1', async () => {
  const { lines } = await echo();
  const sent =
    'X-b: 1\r\nx-A: caf\xe9\r\nX-b: 2\r\nCookie: a=1; b=2\r\nAccept-Encoding: br\r\nAuthorization: Bearer x\r\n';
  const got = (await lines(sent)).map(([name, value]) => `${name}: ${value}`);
  const own = got.filter(
    (line) => /^(x-|cookie|accept|auth)/i.test(line) && !/^x-(sless|forw|req)/i.test(line),
  );
  expect(own).toEqual([
    'X-b: 1',
    'x-A: caf\xe9',
    'X-b: 2',
    'Cookie: a=1; b=2',
    'Accept-Encoding: br',
    'Authorization: Bearer x',
  ]);
});

async function answering(text: string, options: ProxyOptions = {}) {
  const { port } = await rawPod((socket) => socket.on('data', () => socket.end(text, 'latin1')));
  const set = await stage(options);
  set.serve('ns', 'f', [port]);
  return set;
}

test('two Set-Cookie, one with a comma in Expires, and duplicate Link arrive as both lines', async () => {
  const fields =
    'Set-Cookie: a=1; Expires=Wed, 21 Oct 2026 07:28:00 GMT\r\nSet-Cookie: b=2\r\nLink: </a>; rel=x\r\nLink: </b>; rel=y\r\n' +
    'X-Latin: caf\xe9\r\nDATE: Tue, 15 Nov 1994 08:12:31 GMT\r\n';
  const { port } = await answering(`HTTP/1.1 200 Fine\r\n${fields}Content-Length: 2\r\n\r\nok`);
  const { head } = await rawRequest(port, '/fn/ns/f');
  expect(head.startsWith('HTTP/1.1 200 Fine\r\n')).toBe(true);
  expect(head).toContain(fields.trimEnd());
  expect(head.match(/date:/gi)).toHaveLength(1);
});

test('hop-by-hop fields, those named in Connection and X-Sless-* are dropped on the way back', async () => {
  const fields =
    'Connection: x-secret, Close\r\nX-Secret: 1\r\nKeep-Alive: timeout=9\r\nTrailer: X-T\r\nTE: x\r\nProxy-Authenticate: Basic\r\n' +
    'Upgrade: h2c\r\nX-Sless-Secret: 1\r\nX-Request-Id: forged\r\nX-Kept: 1\r\n';
  const { port } = await answering(`HTTP/1.1 200 OK\r\n${fields}Content-Length: 2\r\n\r\nok`);
  const { head } = await rawRequest(port, '/fn/ns/f');
  expect(head).not.toMatch(/secret|timeout=9|trailer|\nte:|proxy-auth|h2c|forged/i);
  expect(head).toContain('X-Kept: 1');
  expect(head).toMatch(/X-Request-Id: [0-9a-f]{32}/);
});

test('a function on a shared host sets cookies, but none of the console', async () => {
  const fields = ['a=1', 'sless-session-8080.0=x; Path=/funcs', '__Secure-sless-attempt=x', ' SLESS-theme=x'];
  const lines = fields.map((field) => `Set-Cookie: ${field}\r\n`).join('');
  const answer = `HTTP/1.1 200 OK\r\n${lines}Content-Length: 2\r\n\r\nok`;
  const cookies = ({ head }: { head: string }) => head.match(/^set-cookie: .*$/gim);
  const shared = await answering(answer);
  expect(cookies(await rawRequest(shared.port, '/fn/ns/f'))).toEqual(['Set-Cookie: a=1']);
  const own = await answering(answer, { host: 'fn.example' });
  const request = 'GET /fn/ns/f HTTP/1.1\r\nHost: fn.example\r\nConnection: close\r\n\r\n';
  expect(cookies(await raw(own.port, request))).toHaveLength(4);
});

test('HTML from a shared host is sandboxed, and whatever a browser may take for a document', async () => {
  const csp = async (type: string | undefined, options: ProxyOptions = {}, more = ''): Promise<boolean> => {
    const field = type === undefined ? '' : `Content-Type: ${type}\r\n`;
    const { port } = await answering(
      `HTTP/1.1 200 OK\r\n${field}${more}Content-Length: 2\r\n\r\nok`,
      options,
    );
    const host = options.host ?? 'x';
    const answer = await raw(port, `GET /fn/ns/f HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
    expect(answer.status).toBe(200);
    return answer.head.includes('Content-Security-Policy: sandbox');
  };
  for (const type of [
    'text/html',
    'TEXT/HTML; charset=utf-8',
    'image/svg+xml',
    'application/xhtml+xml',
    'text/xml',
    '*/*',
    'x',
    undefined,
  ]) {
    expect(await csp(type), String(type)).toBe(true);
  }
  for (const type of ['application/json', 'text/plain; charset=utf-8', 'image/png', 'text/event-stream']) {
    expect(await csp(type), type).toBe(false);
  }
  expect(await csp('text/html', { host: 'fn.test' })).toBe(false);
  expect(await csp('text/html', {}, 'Content-Security-Policy: default-src *\r\n')).toBe(true);
});
