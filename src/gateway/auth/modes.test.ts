import { createHmac } from 'node:crypto';
import { createLocalJWKSet, exportJWK, exportSPKI, generateKeyPair, jwtVerify, SignJWT } from 'jose';
import { describe, expect, test } from 'vitest';
import { silentLogger } from '../../../test/contracts/silent-logger.ts';
import { SlessError } from '../../errors.ts';
import type { Authenticator } from './authenticator.ts';
import type { ClaimRules } from './claims.ts';
import { createIntrospectAuthenticator } from './introspect.ts';
import { ALGORITHMS, createJwksAuthenticator } from './jwks.ts';
import { fixedKeySet } from './key-set.ts';
import { MAX_SUBJECT_BYTES } from './subject.ts';
import { createTrustedPerimeterAuthenticator } from './trusted-perimeter.ts';

const NOW = Date.parse('2026-03-01T12:00:00Z');
const clock = { now: () => NOW };
const seconds = (offset: number) => NOW / 1000 + offset;

const published = await generateKeyPair('ES256', { extractable: true });
const stranger = await generateKeyPair('ES256');
const jwk = { ...(await exportJWK(published.publicKey)), kid: 'k', alg: 'ES256' };
const rules: ClaimRules = { issuer: 'https://id', audience: 'sless-api' };

const sign = (claims: object = {}, { kid = 'k', key = published.privateKey } = {}) =>
  new SignJWT({ sub: 'alice', exp: seconds(300), iss: 'https://id', aud: 'sless-api', ...claims })
    .setProtectedHeader({ alg: 'ES256', kid })
    .sign(key);
const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
const body = (header: object, claims: object = {}) =>
  `${part(header)}.${part({ sub: 'alice', exp: seconds(300), iss: 'https://id', aud: 'sless-api', ...claims })}`;
const hmac = async () => {
  const text = body({ alg: 'HS256', kid: 'k' });
  const secret = await exportSPKI(published.publicKey);
  return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`;
};

/** An issuer as it should be: it knows what it has signed, and nothing of who asks. */
const honestIssuer: typeof fetch = async (_url, init) => {
  const token = new Headers(init?.headers).get('authorization')?.replace('Bearer ', '') ?? '';
  const verified = await jwtVerify(token, createLocalJWKSet({ keys: [jwk] }), {
    algorithms: [...ALGORITHMS],
    currentDate: new Date(NOW),
    clockTolerance: 5,
  }).catch(() => undefined);
  return new Response(null, { status: verified === undefined ? 401 : 204 });
};

const MODES = {
  jwks: createJwksAuthenticator({ keys: fixedKeySet({ keys: [jwk] }), clock }, rules),
  introspect: createIntrospectAuthenticator(
    { fetch: honestIssuer, clock, logger: silentLogger },
    { ...rules, url: 'https://id/me' },
  ),
  'trusted-perimeter': createTrustedPerimeterAuthenticator({ clock }, rules),
} as const satisfies Record<string, Authenticator>;
type Mode = keyof typeof MODES;

/** Who checks no signature leaves these to the perimeter. */
const SIGNED: readonly Mode[] = ['jwks', 'introspect'];
const ALL: readonly Mode[] = [...SIGNED, 'trusted-perimeter'];

const REFUSED: readonly (readonly [string, () => string | Promise<string>, readonly Mode[]])[] = [
  ['alg: none', () => `${body({ alg: 'none' })}.`, ALL],
  ['alg: nOnE with something for a signature', () => `${body({ alg: 'nOnE' })}.eA`, ALL],
  ['no alg', () => `${body({ kid: 'k' })}.eA`, ALL],
  ['no signature', () => `${body({ alg: 'ES256', kid: 'k' })}.`, ALL],
  ['HS256 signed with the public key', hmac, SIGNED],
  ['the signature of a stranger', () => sign({}, { key: stranger.privateKey }), SIGNED],
  ['an unknown kid', () => sign({}, { kid: 'unknown' }), SIGNED],
  ['another aud', () => sign({ aud: 'other' }), ALL],
  ['a list of other aud', () => sign({ aud: ['other', 'another'] }), ALL],
  ['no aud', () => sign({ aud: undefined }), ALL],
  ['another iss', () => sign({ iss: 'https://evil' }), ALL],
  ['exp 30 s ago', () => sign({ exp: seconds(-30) }), ALL],
  ['no exp', () => sign({ exp: undefined }), ALL],
  ['exp that is no number', () => sign({ exp: 'tomorrow' }), ALL],
  ['exp null', () => `${body({ alg: 'ES256', kid: 'k' }, { exp: null })}.eA`, ALL],
  ['nbf to come', () => sign({ nbf: seconds(30) }), ALL],
  ['nbf that is no number', () => sign({ nbf: 'now' }), ALL],
  ['no sub', () => sign({ sub: undefined }), ALL],
  ['an empty sub', () => sign({ sub: '' }), ALL],
  ['a sub that is an array', () => sign({ sub: ['alice'] }), ALL],
  ['a sub of 10 KB', () => sign({ sub: 'a'.repeat(10_240) }), ALL],
  ['a sub that is a little too long', () => sign({ sub: 'a'.repeat(MAX_SUBJECT_BYTES + 1) }), ALL],
  ['a sub with half a character', () => sign({ sub: 'alice\ud800' }), ALL],
  ['a sub of spaces', () => sign({ sub: '  ' }), ALL],
  ['a sub of other blanks', () => sign({ sub: '\u00a0\u2003' }), ALL],
  ['a sub with a NUL', () => sign({ sub: 'alice\0' }), ALL],
  ['a sub with a line end', () => sign({ sub: 'alice\nbob' }), ALL],
  ['a sub with DEL, or a control character of Latin-1', () => sign({ sub: 'al\x7fi\x85ce' }), ALL],
  ['nothing', () => '', ALL],
  ['no JWT', () => 'a.b.c', ALL],
  ['four parts', async () => `${await sign()}.x`, ALL],
  ['claims that are no object', () => `${part({ alg: 'ES256', kid: 'k' })}.${part([])}.eA`, ALL],
];

describe.each(Object.entries(MODES))('AUTH_MODE=%s', (mode, authenticator) => {
  test.each(REFUSED.filter(([, , modes]) => modes.includes(mode as Mode)))('refuses %s', async (_, make) => {
    const token = await make();
    const error: unknown = await authenticator.authenticate(token).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(SlessError);
    expect(error).toMatchObject({ code: 'Unauthenticated' });
    if (token.length > 20) expect((error as SlessError).message).not.toContain(token);
  });

  test('takes a good token, and one whose aud is a list or whose time is 4 s off', async () => {
    const alice = { subject: 'alice', namespace: 'sless-2bd806c97f0e00af' };
    const good = [{}, { aud: ['other', 'sless-api'] }, { exp: seconds(-4) }, { nbf: seconds(4) }];
    for (const claims of good) expect(await authenticator.authenticate(await sign(claims))).toEqual(alice);
  });
});

test.each(['auth0|5f7', 'system:serviceaccount:ns:name', 'Ünï cødé', 'a b', '日本'])(
  'a sub %j is a name as good as any',
  async (sub) => {
    for (const authenticator of Object.values(MODES))
      expect(await authenticator.authenticate(await sign({ sub }))).toMatchObject({ subject: sub });
  },
);

test('behind a trusted perimeter the signature is not looked at', async () => {
  const token = `${body({ alg: 'RS512' })}.bm90aGluZw`;
  expect(await MODES['trusted-perimeter'].authenticate(token)).toMatchObject({ subject: 'alice' });
});
