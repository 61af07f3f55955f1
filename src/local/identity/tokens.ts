import {
  calculateJwkThumbprint,
  exportJWK,
  generateKeyPair,
  importJWK,
  type JSONWebKeySet,
  type JWK,
  SignJWT,
} from 'jose';
import { z } from 'zod';
import type { Clock } from '../../ports/clock.ts';
import { CannotStart } from '../cannot-start.ts';
import { readIfThere, replaceFile } from '../file.ts';

/** Signs the tokens of one installation of local mode. */
export interface Tokens {
  /** The public half, for `/.well-known/jwks.json`. */
  readonly keys: JSONWebKeySet;
  /** A token of that subject, good from now on: a tenant's, unless another audience is named. */
  mint(subject: string, options: { readonly seconds: number; readonly audience?: string }): Promise<string>;
}

const ALGORITHM = 'EdDSA';

/** Who signs the tokens of local mode. Whatever else the key may have signed is no token of ours. */
export const ISSUER = 'sless-local';

/** Tenants' tokens live as long. */
export const TOKEN_SECONDS = 30 * 24 * 3600;

/** The audience of tenants' tokens: the api's, as projected tokens of a cluster name it. */
export const TENANT_AUDIENCE = 'sless-api';

/** The audience of tokens for the commands of local mode, which see every namespace. */
export const ADMIN_AUDIENCE = 'sless-local-admin';

const KEY_LOSS = 'The next start makes another one, and tokens that were given out before are void';

const keySchema = z.looseObject({
  kty: z.literal('OKP'),
  crv: z.literal('Ed25519'),
  x: z.string(),
  d: z.string(),
});

/**
 * The installation's key, made at the first start and kept at `path`, readable by its owner alone.
 *
 * @throws CannotStart when the file holds none
 */
export async function openTokens(path: string, clock: Clock): Promise<Tokens> {
  const text = (await readIfThere(path)) ?? (await createKey(path));
  const { publicHalf, key } = await readKey(text).catch((cause: unknown) => {
    throw new CannotStart(`${path} is damaged: move it away. ${KEY_LOSS}`, { cause });
  });
  const kid = await calculateJwkThumbprint(publicHalf);
  const published: JWK = { ...publicHalf, kid, alg: ALGORITHM, use: 'sig' };
  return {
    keys: { keys: [published] },
    mint: (subject, { seconds, audience = TENANT_AUDIENCE }) => {
      const now = Math.floor(clock.now() / 1000);
      return new SignJWT()
        .setProtectedHeader({ alg: ALGORITHM, kid, typ: 'JWT' })
        .setSubject(subject)
        .setIssuer(ISSUER)
        .setIssuedAt(now)
        .setExpirationTime(now + seconds)
        .setAudience(audience)
        .sign(key);
    },
  };
}

async function readKey(text: string) {
  const { d, ...publicHalf } = keySchema.parse(JSON.parse(text));
  return { publicHalf, key: await importJWK({ ...publicHalf, d }, ALGORITHM) };
}

async function createKey(path: string): Promise<string> {
  const { privateKey } = await generateKeyPair(ALGORITHM, { crv: 'Ed25519', extractable: true });
  const text = JSON.stringify(await exportJWK(privateKey));
  await replaceFile(path, text);
  return text;
}
