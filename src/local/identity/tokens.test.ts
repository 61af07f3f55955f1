import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createJwksAuthenticator } from '../../gateway/auth/jwks.ts';
import { fixedKeySet } from '../../gateway/auth/key-set.ts';
import { CannotStart } from '../cannot-start.ts';
import { ADMIN_AUDIENCE, ISSUER, openTokens, TENANT_AUDIENCE } from './tokens.ts';

let folder: string;
let path: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sless-tokens-'));
  path = join(folder, 'key.json');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const NOW = 1_700_000_000_000;
const clock = { now: () => NOW };
const authenticator = (
  keys: Awaited<ReturnType<typeof openTokens>>['keys'],
  audience: string = TENANT_AUDIENCE,
) => createJwksAuthenticator({ keys: fixedKeySet(keys), clock }, { issuer: ISSUER, audience });

test('tokens are good for the gateway, over starts; the key is private to its owner and never published', async () => {
  const first = await openTokens(path, clock);
  const token = await first.mint('someone', { seconds: 60 });
  const { keys } = await openTokens(path, clock);
  expect(keys).toEqual(first.keys);
  expect(await authenticator(keys).authenticate(token)).toMatchObject({ subject: 'someone' });
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  expect(JSON.stringify(keys)).not.toContain(JSON.parse(await readFile(path, 'utf8')).d);
});

test("a tenant's token is not an administrator's, nor the other way round", async () => {
  const { keys, mint } = await openTokens(path, clock);
  const admin = authenticator(keys, ADMIN_AUDIENCE);
  const tenant = await mint('someone', { seconds: 60 });
  await expect(admin.authenticate(tenant)).rejects.toMatchObject({ code: 'Unauthenticated' });
  const ofAdmin = await mint('local', { seconds: 60, audience: ADMIN_AUDIENCE });
  await admin.authenticate(ofAdmin);
  await expect(authenticator(keys).authenticate(ofAdmin)).rejects.toMatchObject({ code: 'Unauthenticated' });
});

test('keys of another installation prove nothing', async () => {
  const { keys } = await openTokens(path, clock);
  const other = await openTokens(join(folder, 'other.json'), clock);
  const token = await other.mint('someone', { seconds: 60 });
  await expect(authenticator(keys).authenticate(token)).rejects.toMatchObject({ code: 'Unauthenticated' });
});

test.each(['', 'no key', '{}', '{"kty":"OKP","crv":"Ed25519","x":"AA","d":"AA"}'])(
  'a file that holds %j is named, with what helps, and stays',
  async (text) => {
    await writeFile(path, text);
    const opening = openTokens(path, clock);
    await expect(opening).rejects.toThrow(CannotStart);
    await expect(opening).rejects.toThrow(`${path} is damaged: move it away`);
    expect(await readFile(path, 'utf8')).toBe(text);
  },
);
