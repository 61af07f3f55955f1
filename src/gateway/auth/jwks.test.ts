import { createHmac } from 'node:crypto';
import { exportJWK, exportSPKI, generateKeyPair, type JWK, SignJWT } from 'jose';
import { beforeEach, describe, expect, it } from 'vitest';
import { isSlessError, SlessError } from '../../errors.ts';
import type { Logger } from '../../ports/logger.ts';
import { createJwksAuthenticator, type JwksOptions } from './jwks.ts';
import { createRemoteKeySet, fixedKeySet, type KeySet } from './key-set.ts';
import { MAX_SUBJECT_BYTES, namespaceOf } from './subject.ts';

/** A busy machine takes its time. */
const SOON = { timeout: 10_000 };

const NOW = Date.parse('2026-03-01T12:00:00Z');
const seconds = (offset = 0) => Math.floor(NOW / 1000) + offset;

async function signer(alg: string, kid: string) {
  const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true });
  const jwk: JWK = { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' };
  return {
    jwk,
    publicKey,
    sign: (claims: Record<string, unknown> = {}, header: Record<string, unknown> = {}) =>
      new SignJWT({ sub: 'alice', exp: seconds(300), iss: 'https://id', aud: 'sless-api', ...claims })
        .setProtectedHeader({ alg, kid, ...header })
        .sign(privateKey),
  };
}

const rsa = await signer('RS256', 'rsa');
const ec = await signer('ES256', 'ec');
const ed = await signer('EdDSA', 'ed');
const stranger = await signer('RS256', 'rsa');
const next = await signer('ES256', 'next');
const logger: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  child: () => logger,
};

let now = NOW;
const clock = { now: () => now };
beforeEach(() => {
  now = NOW;
});

const authenticator = (
  options: JwksOptions = {},
  keys: KeySet = fixedKeySet({ keys: [rsa.jwk, ec.jwk, ed.jwk] }),
) => createJwksAuthenticator({ keys, clock }, options);

const unsigned = (claims: object, header: object) =>
  `${Buffer.from(JSON.stringify(header)).toString('base64url')}.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.`;

async function expectRefused(token: string | Promise<string>, options: JwksOptions = {}) {
  const error = await authenticator(options)
    .authenticate(await token)
    .catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(SlessError);
  expect(isSlessError(error, 'Unauthenticated')).toBe(true);
  if ((await token).length > 20) expect((error as SlessError).message).not.toContain(await token);
}

describe('a good token', () => {
  it.each([
    ['RS256', rsa],
    ['ES256', ec],
    ['EdDSA', ed],
  ])('signed with %s says who it is', async (_, by) => {
    expect(await authenticator().authenticate(await by.sign())).toEqual({
      subject: 'alice',
      namespace: 'sless-2bd806c97f0e00af',
    });
  });

  it('may leave out kid when several keys fit', async () => {
    const keys = fixedKeySet({ keys: [stranger.jwk, rsa.jwk] });
    const token = await rsa.sign({}, { kid: undefined });
    expect((await authenticator({}, keys).authenticate(token)).subject).toBe('alice');
    const other = await (await signer('RS256', 'x')).sign({}, { kid: undefined });
    await expect(authenticator({}, keys).authenticate(other)).rejects.toMatchObject({
      code: 'Unauthenticated',
    });
  });

  it('may be up to 5 s beyond its time, for clocks that differ', async () => {
    expect((await authenticator().authenticate(await rsa.sign({ exp: seconds(-4) }))).subject).toBe('alice');
    expect((await authenticator().authenticate(await rsa.sign({ nbf: seconds(4) }))).subject).toBe('alice');
  });

  it('has the issuer and the audience that are asked for', async () => {
    const options = { issuer: 'https://id', audience: 'sless-api' };
    expect((await authenticator(options).authenticate(await rsa.sign())).subject).toBe('alice');
    const listed = await rsa.sign({ aud: ['other', 'sless-api'] });
    expect((await authenticator(options).authenticate(listed)).subject).toBe('alice');
  });
});

describe('refused', () => {
  it('alg none', async () => {
    const claims = { sub: 'alice', exp: seconds(300) };
    await expectRefused(unsigned(claims, { alg: 'none' }));
    await expectRefused(unsigned(claims, { alg: 'None', kid: 'rsa' }));
  });

  it('HS256 signed with the public key', async () => {
    for (const secret of [await exportSPKI(rsa.publicKey), JSON.stringify(rsa.jwk), rsa.jwk.n ?? '']) {
      const body = unsigned({ sub: 'alice', exp: seconds(300) }, { alg: 'HS256', kid: 'rsa' }).slice(0, -1);
      await expectRefused(`${body}.${createHmac('sha256', secret).update(body).digest('base64url')}`);
    }
  });

  it('algorithms outside the list, with a key of the set', async () => {
    const strong = await signer('RS512', 'strong');
    const keys = fixedKeySet({ keys: [{ ...strong.jwk, alg: 'RS512' }] });
    await expect(authenticator({}, keys).authenticate(await strong.sign())).rejects.toMatchObject({
      code: 'Unauthenticated',
      message: 'the token must be signed with RS256, ES256, EdDSA',
    });
  });

  it('another audience or issuer, or none', async () => {
    const options = { issuer: 'https://id', audience: 'sless-api' };
    await expectRefused(rsa.sign({ aud: 'other' }), options);
    await expectRefused(rsa.sign({ aud: undefined }), options);
    await expectRefused(rsa.sign({ iss: 'https://evil' }), options);
    await expectRefused(rsa.sign({ iss: undefined }), options);
  });

  it('a kid that nobody published, and a stranger using a published one', async () => {
    await expectRefused(rsa.sign({}, { kid: 'unknown' }));
    await expectRefused(stranger.sign());
  });

  it('exp 30 s ago, no exp, exp that is no number, nbf to come', async () => {
    await expectRefused(rsa.sign({ exp: seconds(-30) }));
    await expectRefused(rsa.sign({ exp: seconds(-5) }));
    await expectRefused(rsa.sign({ exp: undefined }));
    await expectRefused(rsa.sign({ exp: 'tomorrow' }));
    await expectRefused(rsa.sign({ nbf: seconds(6) }));
  });

  it('sub absent, empty, an array, a number, 10 KB long, or with half a character', async () => {
    for (const sub of [undefined, '', ['alice'], 7, null, 'a'.repeat(10_000), 'alice\ud800'])
      await expectRefused(rsa.sign({ sub }));
    await expectRefused(rsa.sign({ sub: 'ä'.repeat(MAX_SUBJECT_BYTES / 2 + 1) }));
  });

  it('what is no JWT', async () => {
    const token = await rsa.sign();
    for (const text of ['', 'a', 'a.b', 'a.b.c', `${token}x`, `${token}.x`, token.slice(0, -3), 'é.é.é'])
      await expectRefused(text);
    await expectRefused(rsa.sign({}, { crit: ['x'], x: 1 }).catch(() => 'a.b.c'));
  });
});

describe('a token that was verified before', () => {
  it('is looked at again when it expires', async () => {
    const checks = authenticator();
    const token = await rsa.sign({ exp: seconds(20) });
    await checks.authenticate(token);
    now = NOW + 19_000;
    expect((await checks.authenticate(token)).subject).toBe('alice');
    now = NOW + 26_000;
    await expect(checks.authenticate(token)).rejects.toMatchObject({ code: 'Unauthenticated' });
  });

  it('is not verified again within a minute', async () => {
    let asked = 0;
    const keys = fixedKeySet({ keys: [rsa.jwk] });
    const counted: KeySet = {
      version: keys.version,
      getKey: (header, token) => {
        asked += 1;
        return keys.getKey(header, token);
      },
    };
    const checks = authenticator({}, counted);
    const token = await rsa.sign();
    for (let call = 0; call < 5; call += 1) await checks.authenticate(token);
    expect(asked).toBe(1);
    now = NOW + 61_000;
    await checks.authenticate(token);
    expect(asked).toBe(2);
  });
});

describe('the key set of an issuer', () => {
  function issuer(initial: readonly JWK[], up = true) {
    const state = { keys: initial, up, fetches: 0 };
    const fetchKeys: typeof fetch = async () => {
      state.fetches += 1;
      if (!state.up) throw new TypeError('fetch failed');
      return Response.json({ keys: state.keys });
    };
    const keys = createRemoteKeySet({ fetch: fetchKeys, clock, logger }, 'https://id.example/jwks');
    return { state, checks: createJwksAuthenticator({ keys, clock }) };
  }

  it('is read once for many tokens', async () => {
    const { state, checks } = issuer([rsa.jwk]);
    await Promise.all(
      [1, 2, 3].map(async () => checks.authenticate(await rsa.sign({ jti: `${Math.random()}` }))),
    );
    expect(state.fetches).toBe(1);
  });

  it('is read again for a kid that it does not hold; tokens of the old key end then, cached or not', async () => {
    const { state, checks } = issuer([rsa.jwk]);
    const old = await rsa.sign();
    await checks.authenticate(old);
    state.keys = [next.jwk];
    expect((await checks.authenticate(await next.sign())).subject).toBe('alice');
    await expect(checks.authenticate(old)).rejects.toMatchObject({ code: 'Unauthenticated' });
  });

  it('is asked a bounded number of times for invented kids', async () => {
    const { state, checks } = issuer([rsa.jwk]);
    for (let kid = 0; kid < 30; kid += 1)
      await expect(checks.authenticate(await rsa.sign({}, { kid: `k${kid}` }))).rejects.toMatchObject({
        code: 'Unauthenticated',
      });
    expect(state.fetches).toBeLessThanOrEqual(4);
    now += 10_000;
    state.keys = [rsa.jwk, next.jwk];
    expect((await checks.authenticate(await next.sign())).subject).toBe('alice');
  });

  it('is refreshed in the background, so that a withdrawn key ends within two minutes', async () => {
    const { state, checks } = issuer([rsa.jwk, ec.jwk]);
    const token = await rsa.sign();
    await checks.authenticate(token);
    state.keys = [ec.jwk];
    now += 61_000;
    await checks.authenticate(token);
    await expect
      .poll(
        () =>
          checks.authenticate(token).then(
            () => 'accepted',
            () => 'refused',
          ),
        SOON,
      )
      .toBe('refused');
  });

  it('stands for an hour while the issuer is away, and is Unavailable after, or before the first answer', async () => {
    const { state, checks } = issuer([rsa.jwk]);
    await checks.authenticate(await rsa.sign());
    state.up = false;
    now += 30 * 60_000;
    const later = (minutes: number) => rsa.sign({ exp: seconds(minutes * 60) });
    expect((await checks.authenticate(await later(40))).subject).toBe('alice');
    now += 31 * 60_000;
    await expect(checks.authenticate(await later(90))).rejects.toMatchObject({ code: 'Unavailable' });
    state.up = true;
    now += 10_000;
    expect((await checks.authenticate(await later(90))).subject).toBe('alice');
  });

  it('is not hammered while it cannot be read', async () => {
    const { state, checks } = issuer([rsa.jwk], false);
    for (let call = 0; call < 20; call += 1)
      await expect(checks.authenticate(await rsa.sign())).rejects.toMatchObject({ code: 'Unavailable' });
    expect(state.fetches).toBeLessThanOrEqual(4);
  });

  it('is refused when it is no key set, or far too large', async () => {
    for (const body of ['{}', '[]', 'nonsense', JSON.stringify({ keys: [], pad: 'x'.repeat(300_000) })]) {
      const keys = createRemoteKeySet({ fetch: async () => new Response(body), clock, logger }, 'https://id');
      const checks = createJwksAuthenticator({ keys, clock });
      await expect(checks.authenticate(await rsa.sign())).rejects.toMatchObject({ code: 'Unavailable' });
    }
  });
});

describe('namespaceOf', () => {
  it('is sless- and the first 8 bytes of the SHA-256 of the subject', () => {
    expect(namespaceOf('local')).toBe('sless-25bf8e1a2393f110');
    expect(namespaceOf('Ünïcode ✓')).toMatch(/^sless-[0-9a-f]{16}$/);
  });
});
