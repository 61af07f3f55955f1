import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SlessError } from '../../src/errors.ts';
import type { ObservedRequest } from '../../src/gateway/api/deps.ts';
import type { Logger } from '../../src/ports/logger.ts';
import { type ApiServer, startApi, type Tenant, tenantOf, tokenFor } from './api-server.ts';

let api: ApiServer;
let alice: Tenant;
const observed: ObservedRequest[] = [];
const lines: string[] = [];
const record = (fields: object, message: string) => {
  lines.push(
    JSON.stringify({ ...fields, message }, (_, value) => (value instanceof Error ? String(value) : value)),
  );
};
const logger: Logger = {
  debug: record,
  info: record,
  warn: record,
  error: record,
  child: (extra) => ({
    ...logger,
    info: (fields, message) => record({ ...extra, ...fields }, message),
    error: (fields, message) => record({ ...extra, ...fields }, message),
    child: (more) => logger.child({ ...extra, ...more }),
  }),
};

beforeAll(async () => {
  api = await startApi({
    deps: () => ({ logger, observe: (request) => observed.push(request) }),
    options: { trustedProxies: ['10.0.0.0/8'] },
  });
  alice = await tenantOf(api, 'alice');
});
afterAll(() => api.close());

const get = (path: string, headers: Record<string, string> = {}) => fetch(api.url + path, { headers });
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

describe('without a token', () => {
  it.each(['/v1/openapi.json', '/v1/namespaces/x/functions', '/v1/nothing', '/v1/', '/v1'])(
    '%s is 401 with a challenge',
    async (path) => {
      const response = await get(path);
      expect(response.status).toBe(401);
      expect(response.headers.get('www-authenticate')).toBe('Bearer realm="sless"');
      expect(await response.json()).toMatchObject({ code: 'Unauthenticated' });
    },
  );

  it.each(['Basic YTpi', 'Bearer', 'Bearer a b', 'Bearer "x"', 'bearer a.b.c'])(
    '%j is 401',
    async (authorization) => {
      const response = await get('/v1/openapi.json', { authorization });
      expect(response.status).toBe(401);
      expect(response.headers.get('www-authenticate')).toContain('error="invalid_token"');
    },
  );

  it('health can be asked', async () => {
    expect((await get('/healthz')).status).toBe(200);
    expect((await get('/readyz')).status).toBe(200);
  });
});

describe('another namespace', () => {
  it('is 403 on every route, whether it exists or not', async () => {
    const bob = await tenantOf(api, 'bob');
    for (const ns of [bob.namespace, 'sless-0000000000000000', 'default', 'kube-system'])
      for (const path of ['ensure', 'functions', 'functions/f', 'triggers', 'functions/f/upload', 'nothing'])
        for (const method of ['GET', 'POST']) {
          const response = await fetch(`${api.url}/v1/namespaces/${ns}/${path}`, {
            method,
            headers: bearer(alice.token),
          });
          expect(response.status, `${method} ${ns}/${path}`).toBe(403);
        }
  });
});

describe('unknown routes', () => {
  it('are 404 in JSON', async () => {
    const response = await get('/v1/nothing', bearer(alice.token));
    expect(response.status).toBe(404);
    expect(await response.json()).toEqual({ error: 'there is nothing at /v1/nothing', code: 'NotFound' });
    expect((await get('/elsewhere')).status).toBe(404);
  });

  it('are 405 with Allow for other methods', async () => {
    const response = await fetch(`${api.url}/v1/namespaces/${alice.namespace}/functions`, {
      method: 'PUT',
      headers: bearer(alice.token),
    });
    expect(response.status).toBe(405);
    expect(response.headers.get('allow')).toBe('GET, POST');
    expect(await response.json()).toMatchObject({ code: 'MethodNotAllowed' });
  });

  it('of what this installation does not have are 501', async () => {
    for (const [method, path, code] of [
      ['GET', '/functions/f/logs', 'NotImplemented'],
      ['GET', '/functions/f/build/logs', 'NotImplemented'],
      ['POST', '/events/q', 'NotImplemented'],
    ] as const)
      expect(await alice.ask(method, path)).toMatchObject({ status: 501, body: { code } });
  });
});

describe('bodies', () => {
  const post = (body: string | Buffer | ReadableStream, type: string | null = 'application/json') =>
    fetch(`${api.url}/v1/namespaces/${alice.namespace}/functions`, {
      method: 'POST',
      headers: { ...bearer(alice.token), ...(type === null ? {} : { 'content-type': type }) },
      body,
      duplex: 'half',
    } as RequestInit);

  it.each([
    ['', 400],
    ['{', 400],
    ['{"name": "x",}', 400],
    ['null', 400],
    ['"text"', 400],
    ['[]', 400],
    ['{"name": "f", "runtime": "nodejs20", "env": {"__proto__": "x"}}', 400],
    ['{"name": "f", "runtime": "nodejs20", "env": {"\\u005f_proto__": "x"}}', 400],
    ['{"name": "f", "runtime": "nodejs20", "env": {"A": "\\ud800"}}', 400],
    ['{"name": "f", "runtime": "nodejs20", "env": {"A": null}}', 400],
    ['{"name": "f", "runtime": "nodejs20", "env": ["A"]}', 400],
  ])('%j is %i', async (body, status) => {
    const response = await post(body);
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ code: 'InvalidRequest' });
  });

  it('with a field twice are refused by its name, at every depth', async () => {
    const response = await post(
      '{"name": "twice", "runtime": "nodejs20", "env": {"A": "1", "\\u0041": "2"}, "name": "other"}',
    );
    expect(response.status).toBe(400);
    expect(await response.json()).toEqual({
      code: 'InvalidRequest',
      error: expect.stringContaining('"name" is there more than once: give each field once'),
      details: [expect.stringContaining('"\\u0041"'), expect.stringContaining('"name"')],
    });
    for (const name of ['twice', 'other'])
      expect(await alice.ask('GET', `/functions/${name}`)).toMatchObject({ status: 404 });
  });

  it.each(['gzip', 'br', 'deflate', 'identity, gzip', 'nonsense'])(
    'with Content-Encoding: %s are 415, JSON and form alike, and are told what is taken',
    async (coding) => {
      for (const [path, type] of [
        ['/functions', 'application/json'],
        ['/functions/coded/upload', 'multipart/form-data; boundary=b'],
      ] as const) {
        await alice.ask('POST', '/functions', { name: 'coded', runtime: 'nodejs20' });
        const response = await fetch(`${api.url}/v1/namespaces/${alice.namespace}${path}`, {
          method: 'POST',
          headers: { ...bearer(alice.token), 'content-type': type, 'content-encoding': coding },
          body: gzipSync('{"name": "zipped", "runtime": "nodejs20"}'),
        });
        expect(response.status).toBe(415);
        expect(response.headers.get('accept-encoding')).toBe('identity');
        expect(await response.json()).toMatchObject({
          code: 'UnsupportedMediaType',
          error: expect.stringContaining('Content-Encoding'),
        });
      }
    },
  );

  it('with Content-Encoding: identity are read', async () => {
    const response = await fetch(`${api.url}/v1/namespaces/${alice.namespace}/functions`, {
      method: 'POST',
      headers: { ...bearer(alice.token), 'content-type': 'application/json', 'content-encoding': 'identity' },
      body: '{"name": "plain", "runtime": "nodejs20"}',
    });
    expect(response.status).toBe(201);
  });

  it('are refused when they are not UTF-8, not changed', async () => {
    const response = await post(
      Buffer.from('{"name": "latin", "runtime": "nodejs20", "env": {"A": "x\xffy"}}', 'latin1'),
    );
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      code: 'InvalidRequest',
      error: expect.stringContaining('the body is not UTF-8'),
    });
    expect(await alice.ask('GET', '/functions/latin')).toMatchObject({ status: 404 });
  });

  it('do not come back in errors, where they may hold secrets', async () => {
    const answer = await (await post('{"env": {"KEY": hush-hush}}')).text();
    expect(answer).toContain('the body is not JSON: it is malformed');
    expect(answer).not.toContain('hush');
  });

  it.each(['text/plain', 'application/x-www-form-urlencoded', 'application/xml', 'application/jsonx'])(
    'typed %s are 415',
    async (type) => {
      expect((await post('{}', type)).status).toBe(415);
    },
  );

  it.each([
    'application/json',
    'application/json; charset=utf-8',
    'Application/JSON',
    'application/merge-patch+json',
  ])('typed %s are read', async (type) => {
    expect((await post('{}', type)).status).toBe(400);
  });

  it('nested deeply are refused, not a fault', async () => {
    const response = await post('['.repeat(100_000) + ']'.repeat(100_000));
    expect(response.status).toBe(400);
  });

  it('of a function may hold its variables up to their bounds, escaped', async () => {
    const body = `{"name": "large", "runtime": "nodejs20", "env": {"V": "${'\\ud83e\\udd8a'.repeat(32_767)}"}}`;
    expect((await post(body)).status).toBe(201);
  });

  it('end at 1 MiB, told by their length or in chunks, and the connection lives on', async () => {
    for (let round = 0; round < 3; round += 1) {
      expect((await post(JSON.stringify({ pad: 'x'.repeat(1_048_576) }))).status).toBe(413);
      expect((await alice.ask('GET', '/functions')).status).toBe(200);
    }
    const chunks = new ReadableStream({
      start(controller) {
        for (let piece = 0; piece < 10; piece += 1) controller.enqueue(Buffer.alloc(1_048_576, 32));
        controller.close();
      },
    });
    expect((await post(chunks)).status).toBe(413);
    expect((await alice.ask('GET', '/functions')).status).toBe(200);
  });
});

describe('every answer', () => {
  it('has an id, and headers that keep it from being a page or being kept', async () => {
    const { headers } = await alice.ask('GET', '/functions');
    expect(headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(headers.get('x-frame-options')).toBe('DENY');
  });

  it('takes an id from trusted proxies alone', async () => {
    const response = await get('/healthz', { 'x-request-id': 'from-outside' });
    expect(response.headers.get('x-request-id')).not.toBe('from-outside');
    const behind = await startApi({ options: { trustedProxies: ['127.0.0.0/8'] } });
    try {
      const ask = (id: string) => fetch(`${behind.url}/healthz`, { headers: { 'x-request-id': id } });
      expect((await ask('from-proxy')).headers.get('x-request-id')).toBe('from-proxy');
      expect((await ask('x y')).headers.get('x-request-id')).not.toBe('x y');
    } finally {
      await behind.close();
    }
  });

  it('is logged and counted by route, without the token', async () => {
    const token = await tokenFor('alice', { jti: 'watched' });
    await get(`/v1/namespaces/${alice.namespace}/functions/nobody`, bearer(token));
    expect(observed.at(-1)).toMatchObject({
      method: 'GET',
      route: '/v1/namespaces/:ns/functions/:name',
      status: 404,
    });
    expect(lines.at(-1)).toContain('"status":404');
    expect(lines.join('')).not.toContain(token);
    await get('/v1/some/thing', bearer(token));
    expect(observed.at(-1)).toMatchObject({ route: 'unknown', status: 404 });
  });

  it('says nothing of a fault of ours, and logs it', async () => {
    const broken = await startApi({
      deps: ({ cluster }) => ({
        logger,
        cluster: { ...cluster, list: () => Promise.reject(new Error('secret-host refused user root')) },
      }),
    });
    try {
      const answer = await (await tenantOf(broken, 'alice')).ask('GET', '/functions');
      expect(answer).toMatchObject({ status: 500, body: { code: 'Internal' } });
      expect(JSON.stringify(answer.body)).not.toContain('secret-host');
      expect(lines.join('')).toContain('secret-host');
    } finally {
      await broken.close();
    }
  });

  it('is 503 with Retry-After while the cluster is away', async () => {
    const away = await startApi({
      deps: ({ cluster }) => ({
        cluster: {
          ...cluster,
          get: () => Promise.reject(new SlessError('Unavailable', 'the cluster is away')),
        },
      }),
    });
    try {
      const answer = await (await tenantOf(away, 'alice', { fresh: true })).ask('GET', '/functions');
      expect(answer).toMatchObject({ status: 503, body: { code: 'Unavailable' } });
      expect(answer.headers.get('retry-after')).toBe('5');
    } finally {
      await away.close();
    }
  });
});

describe('raw requests', () => {
  const raw = (request: string) =>
    new Promise<string>((resolve, reject) => {
      const socket = connect(api.port, '127.0.0.1');
      let answer = '';
      socket.on('data', (chunk) => {
        answer += chunk;
      });
      socket.on('close', () => resolve(answer));
      socket.on('error', reject);
      socket.end(request);
    });
  const head = () => `host: x\r\nauthorization: Bearer ${alice.token}\r\nconnection: close\r\n\r\n`;

  it.each([
    '/v1/namespaces/{ns}/functions/..%2f..%2fsecrets%2fx',
    '/v1/namespaces/{ns}/functions/%2e%2e',
    '/v1/namespaces/{ns}/functions/a%00b',
    '/v1/namespaces/{ns}/functions/%zz',
    '/v1/namespaces/{ns}/functions/a%2Fb',
    '/v1/namespaces/{ns}/../kube-system/functions',
    '/v1/namespaces/{ns}%2f..%2fkube-system/functions',
    '//v1/namespaces/{ns}/functions',
  ])('GET %s is never somebody else, nor a fault', async (path) => {
    const answer = await raw(`GET ${path.replaceAll('{ns}', alice.namespace)} HTTP/1.1\r\n${head()}`);
    expect(answer).toMatch(/^HTTP\/1.1 (400|403|404) /);
  });
});

describe('readiness', () => {
  it('is what it is told', async () => {
    let ready = false;
    const starting = await startApi({ deps: () => ({ ready: () => ready }) });
    try {
      expect((await fetch(`${starting.url}/readyz`)).status).toBe(503);
      ready = true;
      expect((await fetch(`${starting.url}/readyz`)).status).toBe(200);
    } finally {
      await starting.close();
    }
  });
});

describe('a key set behind a URL', () => {
  it('follows a rotation', async () => {
    const { exportJWK, generateKeyPair, SignJWT } = await import('jose');
    const { createJwksAuthenticator } = await import('../../src/gateway/auth/jwks.ts');
    const { createRemoteKeySet } = await import('../../src/gateway/auth/key-set.ts');
    const make = async (kid: string) => {
      const pair = await generateKeyPair('RS256');
      const sign = () =>
        new SignJWT({ sub: 'alice' })
          .setExpirationTime('5m')
          .setProtectedHeader({ alg: 'RS256', kid })
          .sign(pair.privateKey);
      return { jwk: { ...(await exportJWK(pair.publicKey)), kid }, sign };
    };
    const [one, two] = [await make('one'), await make('two')];
    let keys: object[] = [one.jwk];
    const issuer = createServer((_, response) => response.end(JSON.stringify({ keys }))).listen(
      0,
      '127.0.0.1',
    );
    await new Promise((resolve) => issuer.once('listening', resolve));
    const url = `http://127.0.0.1:${(issuer.address() as AddressInfo).port}/jwks`;
    const remote = await startApi({
      deps: () => ({
        authenticator: createJwksAuthenticator({
          keys: createRemoteKeySet({ fetch, clock: Date, logger }, url),
          clock: Date,
        }),
      }),
    });
    try {
      const status = async (token: string) =>
        (await fetch(`${remote.url}/v1/openapi.json`, { headers: bearer(token) })).status;
      const old = await one.sign();
      expect(await status(old)).toBe(200);
      keys = [two.jwk];
      expect(await status(await two.sign())).toBe(200);
      expect(await status(old)).toBe(401);
    } finally {
      await remote.close();
      issuer.close();
    }
  });
});
