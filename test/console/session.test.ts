import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ApiServer, tokenFor } from '../api/api-server.ts';
import {
  cookieOf,
  FETCHED,
  OPENED,
  send,
  sendForm,
  signIn,
  startConsole,
  type Visitor,
  visit,
} from './console-server.ts';

let server: ApiServer;
let ada: Visitor;

beforeAll(async () => {
  server = await startConsole();
  ada = await visit(server, 'ada');
  await ada.ask('POST', '/functions', { name: 'secret-name', runtime: 'nodejs20' });
});
afterAll(() => server.close());

const get = (path: string, headers: Record<string, string>) => send(server.url + path, { headers });
const list = () => `/funcs/${ada.namespace}`;

describe('without a token', () => {
  test.each(['', '/functions/secret-name', '/logs/secret-name', '/nonsense/x'])(
    'a browser sees the page for signing in at …%s, and nothing else',
    async (path) => {
      const response = await get(list() + path, OPENED);
      const page = response.text;
      expect(response.status).toBe(200);
      expect(page).toContain('Sign in');
      expect(page.replaceAll(`/funcs/${ada.namespace}${path}`, '')).not.toContain('secret-name');
    },
  );

  test('a terminal is told to send one', async () => {
    const response = await get(list(), {});
    expect(response.status).toBe(401);
    expect(response.header('www-authenticate')).toBe('Bearer realm="sless"');
    expect(response.text).toMatch(/^error: .*send a token/);
  });

  test.each(['/funcs/-/v1/namespaces/x/functions', '/funcs/-/call/x/y'])(
    'scripts get JSON from %s',
    async (path) => {
      const response = await send(server.url + path, { method: 'POST', headers: FETCHED });
      expect(response.status).toBe(401);
      expect(JSON.parse(response.text)).toMatchObject({ code: 'Unauthenticated' });
    },
  );

  test('a token in the address is none', async () => {
    expect((await get(`${list()}?token=${ada.token}&access_token=${ada.token}`, OPENED)).text).toContain(
      'Sign in',
    );
  });

  test('a link on another site leads in at the second try, when the browser sends its strict cookie', async () => {
    const page = (await get(list(), { ...OPENED, 'sec-fetch-site': 'cross-site' })).text;
    expect(page).toContain(`<meta http-equiv="refresh" content="0;url=${list()}">`);
  });
});

describe('signing in', () => {
  test('leaves the token in a cookie that no script reads and no other path is sent', async () => {
    const response = await signIn(server, { token: ada.token, to: `${list()}?cursor=x` });
    expect(response.status).toBe(303);
    expect(response.header('location')).toBe(`${list()}?cursor=x`);
    const [cookie = ''] = response.cookies;
    expect(cookie).toMatch(/; Path=\/funcs; Expires=[^;]+; HttpOnly; SameSite=Strict$/);
  });

  test('binds the cookie to https where that is how the installation is reached', async () => {
    const secure = await startConsole({ options: { secure: true } });
    const response = await signIn(secure, { token: ada.token });
    expect(response.cookies[0]).toMatch(/^__Secure-sless-session\.0=.*; Secure; SameSite=Strict$/);
    await secure.close();
  });

  test('says what is wrong with a token', async () => {
    const expired = await tokenFor('ada', { exp: 1 });
    for (const [token, words] of [
      [expired, 'has expired'],
      ['nonsense', 'is not a valid JWT'],
      ['<b>', 'no token'],
    ] as const) {
      const response = await signIn(server, { token });
      expect(response.status).toBe(401);
      expect(response.cookies).toEqual([]);
      expect(response.text).toContain(words);
    }
  });

  test.each([
    'https://evil.example/',
    '//evil.example',
    '/\\evil.example',
    '/v1/x',
    '/funcs/../fn/x',
    '/funcsx',
    'javascript:alert(1)',
  ])('never leads to %s', async (to) => {
    const response = await signIn(server, { token: ada.token, to });
    expect(response.header('location')).toBe('/funcs');
  });

  test.each([
    ['another site', { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }],
    ['a sandboxed page of a function', { 'sec-fetch-site': 'cross-site', origin: 'null' }],
    ['another site, by a browser that says little', { 'sec-fetch-site': '', origin: 'https://evil.example' }],
  ])('is refused from %s', async (_, headers) => {
    const response = await signIn(server, { token: ada.token }, headers);
    expect(response.status).toBe(403);
    expect(response.cookies).toEqual([]);
  });

  test('carries a token that is longer than a cookie may be', async () => {
    const token = await tokenFor('ada', { groups: 'x'.repeat(5000) });
    const response = await signIn(server, { token });
    const cookie = cookieOf(response);
    expect((await get(list(), { ...OPENED, cookie })).status).toBe(200);
    expect((await get(list(), { ...OPENED, cookie })).text).toContain('secret-name');
  });

  test('ends by the button, from a page of ours alone', async () => {
    const out = (csrf: string) =>
      sendForm(server, { path: '/funcs/-/signout', fields: { csrf }, headers: { cookie: ada.cookie } });
    expect((await out('guess')).status).toBe(403);
    const response = await out(ada.csrf);
    expect(response.header('location')).toBe('/funcs/-/signin');
    expect(response.cookies[0]).toContain('Max-Age=0');
  });
});

describe('with a session', () => {
  test('a page that the browser opens is shown', async () => {
    const response = await ada.open(list());
    expect(response.status).toBe(200);
    expect(response.header('cache-control')).toBe('no-store');
    expect(response.text).toContain('secret-name');
  });

  test.each([
    ['a script', { 'sec-fetch-dest': 'empty', 'sec-fetch-mode': 'cors', 'sec-fetch-site': 'same-origin' }],
    ['a frame', { 'sec-fetch-dest': 'iframe', 'sec-fetch-site': 'same-origin' }],
    ['a picture', { 'sec-fetch-dest': 'image', 'sec-fetch-mode': 'no-cors', 'sec-fetch-site': 'same-site' }],
  ])('the same page is not given to %s, in which the proof stands', async (_, headers) => {
    const response = await ada.open(list(), headers);
    expect(response.status).toBe(403);
    expect(response.text).not.toContain(ada.csrf);
  });

  test.each([
    ['no proof', {}, 403],
    ['a wrong proof', { 'x-sless-csrf': 'guess' }, 403],
    ['the proof', { proof: 'good' }, 200],
    ['the proof, but from elsewhere', { proof: 'good', 'sec-fetch-site': 'cross-site' }, 403],
    ['the proof, but sandboxed', { proof: 'good', origin: 'null' }, 403],
    ['the proof, but from another host', { proof: 'good', origin: 'https://evil.example' }, 403],
  ] as const)('REST is asked with %s', async (_, { proof, ...headers }: Record<string, string>, status) => {
    const shown: Record<string, string> = proof === undefined ? {} : { 'x-sless-csrf': ada.csrf };
    const response = await get(`/funcs/-/v1/namespaces/${ada.namespace}/functions`, {
      ...FETCHED,
      cookie: ada.cookie,
      ...shown,
      ...headers,
    });
    expect(response.status).toBe(status);
  });

  test('the cookie is nothing to REST itself', async () => {
    const response = await get(`/v1/namespaces/${ada.namespace}/functions`, { cookie: ada.cookie });
    expect(response.status).toBe(401);
  });

  test('another tenant stays away, in words', async () => {
    const eve = await visit(server, 'eve');
    const response = await eve.open(list());
    expect(response.status).toBe(403);
    const page = response.text;
    expect(page).toContain('This is not yours');
    expect(page).not.toContain('secret-name');
  });

  test('pages run nothing but our own files, and nobody frames them', async () => {
    const page = await ada.open(list());
    expect(page.header('content-security-policy')).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    );
    expect(page.header('cross-origin-opener-policy')).toBe('same-origin');
    expect(page.header('x-content-type-options')).toBe('nosniff');
  });
});

test('a terminal gets the list as text for its token', async () => {
  const response = await get(list(), { authorization: `Bearer ${ada.token}` });
  expect(response.header('content-type')).toMatch(/^text\/plain/);
  expect(response.text).toMatch(/^NAME +RUNTIME +STATE .*\nsecret-name +nodejs20 +/);
});
