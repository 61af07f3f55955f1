import { afterEach, beforeEach, expect, test } from 'vitest';
import { namespaceOf } from '../../src/gateway/auth/subject.ts';
import type { SignInByOidc } from '../../src/gateway/console/session/oidc.ts';
import { createOidc } from '../../src/gateway/console/session/oidc.ts';
import type { ApiServer } from '../api/api-server.ts';
import { silentLogger } from '../contracts/silent-logger.ts';
import { cookieOf, OPENED, type Raw, send, startConsole } from './console-server.ts';
import { type Provider, startProvider } from './provider.ts';

let provider: Provider;
let server: ApiServer;
/** Known once the console's own address is. */
let oidc: SignInByOidc;

beforeEach(async () => {
  provider = await startProvider();
  server = await startConsole({
    deps: {
      oidc: { name: 'login.example', start: () => oidc.start(), finish: (...given) => oidc.finish(...given) },
    },
  });
  oidc = oidcFor(provider.issuer);
});
afterEach(async () => {
  provider.close();
  await server.close();
});

const oidcFor = (issuer: string): SignInByOidc =>
  createOidc(
    { fetch, logger: silentLogger },
    {
      issuer,
      clientId: 'console',
      clientSecret: undefined,
      scope: 'openid',
      token: 'access',
      externalUrl: server.url,
    },
  );
const open = (url: string, cookie = ''): Promise<Raw> => send(url, { headers: { ...OPENED, cookie } });

/** As far as the provider leads a browser: to the callback. */
async function callback(to = '/funcs'): Promise<{ url: string; cookie: string }> {
  const begun = await open(`${server.url}/funcs/-/signin/oidc?to=${encodeURIComponent(to)}`);
  const back = await open(begun.header('location') ?? '');
  return { url: back.header('location') ?? '', cookie: cookieOf(begun) };
}

test('a visitor is signed in at the issuer, and comes back to where they wanted', async () => {
  expect((await open(`${server.url}/funcs/x`)).text).toContain('Continue with login.example');
  const { url, cookie } = await callback('/funcs/x/logs/y?of=build');
  const done = await open(url, cookie);
  expect(done.status).toBe(200);
  expect(done.text).toContain('content="0;url=/funcs/x/logs/y?of=build"');
  expect(done.cookies.join()).toMatch(/sless-session\.0=[^;]+; Path=\/funcs; .*HttpOnly; SameSite=Strict/);
  const home = await open(`${server.url}/funcs`, cookieOf(done));
  expect(home.header('location')).toBe(`/funcs/${namespaceOf('grace')}`);
});

test('the request carries PKCE, a state and a nonce, and what is kept of it comes back to the callback alone', async () => {
  const begun = await open(`${server.url}/funcs/-/signin/oidc`);
  const query = new URL(begun.header('location') ?? '').searchParams;
  expect(query.get('code_challenge_method')).toBe('S256');
  expect(query.get('redirect_uri')).toBe(`${server.url}/funcs/-/signin/callback`);
  for (const name of ['state', 'nonce', 'code_challenge'])
    expect(query.get(name)?.length).toBeGreaterThan(20);
  expect(begun.cookies[0]).toMatch(
    /; Max-Age=600; Path=\/funcs\/-\/signin\/callback; HttpOnly; SameSite=Lax/,
  );
});

test.each([
  ['another browser', async (c: { url: string; cookie: string }) => ({ ...c, cookie: '' })],
  [
    'a state that is not its own',
    async (c: { url: string; cookie: string }) => ({
      ...c,
      url: c.url.replace(/state=[^&]+/, 'state=other'),
    }),
  ],
  [
    'somebody else’s code',
    async (c: { url: string; cookie: string }) => ({
      ...c,
      url: c.url.replace(/code=[^&]+/, `code=${new URL((await callback()).url).searchParams.get('code')}`),
    }),
  ],
  [
    'another issuer’s answer',
    async (c: { url: string; cookie: string }) => ({
      ...c,
      url: c.url.replace(/iss=[^&]+/, 'iss=https%3A%2F%2Fevil.example'),
    }),
  ],
])('%s is not signed in, and is told to try again', async (_, change) => {
  const { url, cookie } = await change(await callback());
  const answer = await open(url, cookie);
  expect(answer.status).toBe(401);
  expect(answer.text).toContain('try again');
  expect(answer.cookies.join()).not.toContain('sless-session');
});

test('a code counts once', async () => {
  const { url, cookie } = await callback();
  expect((await open(url, cookie)).status).toBe(200);
  expect((await open(url, cookie)).status).toBe(401);
});

test('a refusal of the issuer is told', async () => {
  provider.refuse('access_denied');
  const { url, cookie } = await callback();
  expect((await open(url, cookie)).text).toContain('the issuer refused: access_denied');
});

test('an issuer that is away is told, and asked again the next time', async () => {
  oidc = oidcFor('http://127.0.0.1:9');
  const answer = await open(`${server.url}/funcs/-/signin/oidc`);
  expect(answer.status).toBe(503);
  expect(answer.text).toContain('The token issuer 127.0.0.1:9 cannot be reached');
});
