import { SignJWT } from 'jose';
import { beforeEach, expect, test, vi } from 'vitest';
import { type Handler, startScripted } from '../../../test/api-server/scripted.ts';
import { silentLogger } from '../../../test/contracts/silent-logger.ts';
import { createIntrospectAuthenticator, type IntrospectOptions } from './introspect.ts';

const NOW = Date.parse('2026-03-01T12:00:00Z');
let now = NOW;
beforeEach(() => {
  now = NOW;
});
const clock = { now: () => now };

/** How it is signed is the issuer's affair alone: with a secret, for one that publishes no keys. */
const tokenOf = (claims: object = {}) =>
  new SignJWT({ sub: 'alice', exp: NOW / 1000 + 300, ...claims })
    .setProtectedHeader({ alg: 'HS256' })
    .sign(new Uint8Array(32));

const status =
  (code: number, headers: Record<string, string> = {}, text = ''): Handler =>
  (_seen, response) =>
    void response.writeHead(code, headers).end(text);

async function issuer(handler: Handler, options: Partial<IntrospectOptions> = {}) {
  const server = await startScripted(handler);
  const url = `${server.origin}/me`;
  const authenticator = createIntrospectAuthenticator(
    { fetch, clock, logger: silentLogger },
    { url, ...options },
  );
  return { server, ...authenticator };
}
const refusal = (code: string) => expect.objectContaining({ code });

test('the token is shown to the issuer as it came, by GET', async () => {
  const { server, authenticate } = await issuer(status(200));
  const token = await tokenOf();
  expect(await authenticate(token)).toEqual({ subject: 'alice', namespace: 'sless-2bd806c97f0e00af' });
  expect(server.seen).toMatchObject([
    { method: 'GET', path: '/me', headers: { authorization: `Bearer ${token}` } },
  ]);
});

test.each([200, 201, 204])('%i counts', async (code) => {
  const { authenticate } = await issuer(status(code));
  expect(await authenticate(await tokenOf())).toMatchObject({ subject: 'alice' });
});

test.each([400, 401, 403, 404, 410])('%i is a token that the issuer does not know', async (code) => {
  const { authenticate } = await issuer(status(code));
  await expect(authenticate(await tokenOf())).rejects.toEqual(refusal('Unauthenticated'));
});

test.each([408, 429, 500, 502, 503])('%i is an issuer that cannot say', async (code) => {
  const { authenticate } = await issuer(status(code));
  await expect(authenticate(await tokenOf())).rejects.toMatchObject({
    code: 'Unavailable',
    retryAfterSeconds: 5,
  });
});

test.each([301, 302, 303, 307, 308])(
  '%i is not followed, and the token not shown elsewhere',
  async (code) => {
    const elsewhere = await startScripted(status(200));
    const { authenticate } = await issuer(status(code, { location: `${elsewhere.origin}/` }));
    await expect(authenticate(await tokenOf())).rejects.toEqual(refusal('Unauthenticated'));
    expect(elsewhere.seen).toEqual([]);
  },
);

test('an answer that says the token is not active is a refusal, whatever its status', async () => {
  const json = { 'content-type': 'application/json' };
  const inactive = await issuer(status(200, json, '{"active": false}'));
  await expect(inactive.authenticate(await tokenOf())).rejects.toEqual(refusal('Unauthenticated'));
  for (const text of ['{"active": true}', '{"sub": "alice"}', '[]', 'null', 'no JSON', 'x'.repeat(100_000)]) {
    const { authenticate } = await issuer(status(200, json, text));
    expect(await authenticate(await tokenOf())).toMatchObject({ subject: 'alice' });
  }
});

test('an issuer that is away, slow before its answer or slow in it, is Unavailable in time', async () => {
  const away = createIntrospectAuthenticator(
    { fetch, clock, logger: silentLogger },
    { url: 'http://127.0.0.1:1/me' },
  );
  await expect(away.authenticate(await tokenOf())).rejects.toEqual(refusal('Unavailable'));
  const silent = await issuer(() => undefined, { timeoutMs: 50 });
  await expect(silent.authenticate(await tokenOf())).rejects.toEqual(refusal('Unavailable'));
  const drip = await issuer(
    (_seen, response) =>
      void response.writeHead(200, { 'content-type': 'application/json' }).write('{"active":'),
    { timeoutMs: 50 },
  );
  await expect(drip.authenticate(await tokenOf())).rejects.toEqual(refusal('Unavailable'));
});

test('a good token is asked about once in 30 s, and looked at again when it expires', async () => {
  const { server, authenticate } = await issuer(status(200));
  const token = await tokenOf({ exp: NOW / 1000 + 40 });
  for (let call = 0; call < 3; call++) await authenticate(token);
  now += 29_000;
  await authenticate(token);
  expect(server.seen).toHaveLength(1);
  now += 2_000;
  await authenticate(token);
  expect(server.seen).toHaveLength(2);
  now += 15_000;
  await expect(authenticate(token)).rejects.toEqual(refusal('Unauthenticated'));
  expect(server.seen).toHaveLength(2);
});

test('a token that was refused is asked about again: it may have become good', async () => {
  let code = 401;
  const { authenticate } = await issuer((_seen, response) => void response.writeHead(code).end());
  const token = await tokenOf();
  await expect(authenticate(token)).rejects.toEqual(refusal('Unauthenticated'));
  code = 200;
  expect(await authenticate(token)).toMatchObject({ subject: 'alice' });
});

test('what is wrong in its claims is never asked about', async () => {
  const { server, authenticate } = await issuer(status(200));
  for (const claims of [{ exp: NOW / 1000 - 30 }, { exp: undefined }, { sub: '' }])
    await expect(authenticate(await tokenOf(claims))).rejects.toEqual(refusal('Unauthenticated'));
  expect(server.seen).toEqual([]);
});

test('callers with one token share one question, and questions at once are bounded', async () => {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const { server, authenticate } = await issuer(
    (_seen, response) => void released.then(() => response.writeHead(200).end()),
    { atOnce: 2 },
  );
  const [one, two, three] = await Promise.all(['a', 'b', 'c'].map((sub) => tokenOf({ sub })));
  const waiting = [one!, one!, one!, two!].map((token) => authenticate(token));
  await expect(authenticate(three!)).rejects.toMatchObject({ code: 'Unavailable', retryAfterSeconds: 1 });
  await vi.waitFor(() => expect(server.seen).toHaveLength(2));
  release();
  const subjects = (await Promise.all(waiting)).map(({ subject }) => subject);
  expect(subjects).toEqual(['a', 'a', 'a', 'b']);
  expect(await authenticate(three!)).toMatchObject({ subject: 'c' });
});
