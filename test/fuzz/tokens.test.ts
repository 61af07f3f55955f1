import fc from 'fast-check';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { expect, test } from 'vitest';
import { SlessError } from '../../src/errors.ts';
import { createJwksAuthenticator } from '../../src/gateway/auth/jwks.ts';
import { fixedKeySet } from '../../src/gateway/auth/key-set.ts';
import { budget, timeLimit } from './budget.ts';

const NOW = Date.parse('2026-03-01T12:00:00Z');
const seconds = NOW / 1000;
const published = await Promise.all(
  (['RS256', 'ES256', 'EdDSA'] as const).map(async (alg) => ({ alg, ...(await generateKeyPair(alg)) })),
);
const stranger = await generateKeyPair('ES256');
const keys = await Promise.all(
  published.map(async ({ alg, publicKey }) => ({ ...(await exportJWK(publicKey)), kid: alg, alg })),
);
const authenticator = createJwksAuthenticator(
  { keys: fixedKeySet({ keys }), clock: { now: () => NOW } },
  { issuer: 'https://id', audience: 'sless-api' },
);

/** The subject that a token was taken for; nothing for a refusal, which is always the same one. */
async function taken(token: string): Promise<string | undefined> {
  try {
    return (await authenticator.authenticate(token)).subject;
  } catch (error) {
    expect(error).toBeInstanceOf(SlessError);
    expect((error as SlessError).code).toBe('Unauthenticated');
    return undefined;
  }
}

const claimsOf = (good: object) => ({
  sub: 'alice',
  exp: seconds + 300,
  iss: 'https://id',
  aud: 'sless-api',
  ...good,
});
const sign = (claims: object, { alg, privateKey } = published[1]!, header: object = {}) =>
  new SignJWT(claims as Record<string, unknown>)
    .setProtectedHeader({ alg, kid: alg, ...header })
    .sign(privateKey);

const time = fc.oneof(
  fc.integer({ min: -20, max: 20 }).map((offset) => seconds + offset),
  fc.constantFrom<unknown>(undefined, null, '', 'x', String(seconds + 9), [seconds + 9], {}, true, 1e300),
);
const subject = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc.constantFrom<unknown>(undefined, null, '', ' ', ['alice'], 7, {}, true, 'a'.repeat(600), 'alice'),
);
const claims = fc.record({
  sub: fc.oneof(fc.constant('alice'), subject),
  exp: fc.oneof(fc.constant(seconds + 60), time),
  nbf: fc.option(time, { nil: undefined }),
  iss: fc.constantFrom<unknown>(...Array(6).fill('https://id'), 'https://id/', undefined, ['https://id']),
  aud: fc.constantFrom<unknown>(
    'sless-api',
    ['x', 'sless-api'],
    'sless-api ',
    undefined,
    [],
    [['sless-api']],
  ),
});

/** Said once more, and otherwise than the code does. */
function isGood({ sub, exp, nbf, iss, aud }: Readonly<Record<string, unknown>>): boolean {
  return (
    typeof sub === 'string' &&
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
    !/^\s*$|[\u0000-\u001f\u007f-\u009f]/.test(sub) &&
    Buffer.from(sub).toString() === sub &&
    Buffer.byteLength(sub) <= 512 &&
    typeof exp === 'number' &&
    exp > seconds - 5 &&
    (nbf === undefined || (typeof nbf === 'number' && nbf <= seconds + 5)) &&
    iss === 'https://id' &&
    [aud].flat().includes('sless-api')
  );
}

const limit = timeLimit(60_000);

test('a token that its issuer has signed is taken when its claims are good, and only then', {
  timeout: limit,
}, async () => {
  let good = 0;
  const property = fc.asyncProperty(claims, fc.constantFrom(...published), async (said, key) => {
    const isWanted = isGood(said);
    good += Number(isWanted);
    expect(await taken(await sign(said, key))).toBe(isWanted ? said.sub : undefined);
  });
  await fc.assert(property, budget(1500));
  expect(good).toBeGreaterThan(20);
});

test('a token that was changed in any place, or that somebody else has signed, is refused', {
  timeout: limit,
}, async () => {
  const edit = fc.tuple(fc.nat(600), fc.nat(3), fc.stringMatching(/^[A-Za-z0-9_.=+/ -]{0,3}$/));
  const cases = fc.tuple(fc.constantFrom(...published), fc.array(edit, { minLength: 1, maxLength: 3 }));
  const property = fc.asyncProperty(cases, async ([key, edits]) => {
    const whole = await sign(claimsOf({}), key);
    let token = whole;
    for (const [place, skip, put] of edits) {
      const at = place % (token.length + 1);
      token = token.slice(0, at) + put + token.slice(at + skip);
    }
    // The last character of base64url has bits that stand for nothing.
    const bytes = (of: string) => of.split('.').map((part) => Buffer.from(part, 'base64url').toString('hex'));
    const isSame = token.split('.').length === 3 && bytes(token).join() === bytes(whole).join();
    if (!isSame) expect(await taken(token)).toBeUndefined();
  });
  await fc.assert(property, budget(1500));
});

test('no header makes a stranger one of ours', { timeout: limit }, async () => {
  const header = fc.record(
    {
      alg: fc.constantFrom<unknown>('ES256', 'none', 'HS256', 'RS256', 'EdDSA', null, ''),
      kid: fc.constantFrom<unknown>('ES256', 'RS256', undefined, '', null, ['ES256'], '../x', 7),
      jwk: fc.constantFrom<unknown>(await exportJWK(stranger.publicKey), undefined),
      jku: fc.constantFrom<unknown>('https://evil/jwks', undefined),
      x5u: fc.constantFrom<unknown>('https://evil/x', undefined),
      crit: fc.constantFrom<unknown>(['b64'], ['x'], undefined),
      b64: fc.constantFrom<unknown>(false, undefined),
      typ: fc.constantFrom<unknown>('JWT', 'at+jwt', 7, undefined),
    },
    { requiredKeys: ['alg'] },
  );
  const property = fc.asyncProperty(header, async (said) => {
    const [, payload = '', signature = ''] = (
      await sign(claimsOf({}), { alg: 'ES256', ...stranger, publicKey: stranger.publicKey })
    ).split('.');
    const first = Buffer.from(JSON.stringify(said)).toString('base64url');
    expect(await taken(`${first}.${payload}.${signature}`)).toBeUndefined();
    expect(await taken(`${first}.${payload}.`)).toBeUndefined();
  });
  await fc.assert(property, budget(500));
});
