// @peculiar/x509 finds its parts through decorators, which want this before it is loaded.
import 'reflect-metadata';
import { randomBytes, webcrypto } from 'node:crypto';
import {
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  type Extension,
  KeyUsageFlags,
  KeyUsagesExtension,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  type X509Certificate,
  X509CertificateGenerator,
} from '@peculiar/x509';

/** A server's certificate with its key, and the authority that has signed it; all PEM. */
export interface Issued {
  readonly certificate: string;
  readonly key: string;
  readonly authority: string;
}

/** P-256 is what every TLS library speaks, and quick on both sides. */
const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const DAY_MS = 24 * 60 * 60 * 1000;
/**
 * Nobody outside the cluster meets it, and its key can sign nothing: three years are a bound on forgetting it, and the
 * renewal a year before leaves time to notice that it did not come.
 */
export const VALID_MS = 3 * 365 * DAY_MS;
/** Clocks of nodes differ. */
const SKEW_MS = 60 * 60 * 1000;

type Keys = Awaited<ReturnType<typeof newKeys>>;

/**
 * A new authority and one certificate of it, for these host names. The authority's key is forgotten at once: nothing else
 * can ever be signed with it.
 */
export async function issueCertificate(names: readonly string[], now: number): Promise<Issued> {
  const [authorityKeys, keys] = await Promise.all([newKeys(), newKeys()]);
  const authority = await sign({
    subject: `CN=sless webhooks ${new Date(now).toISOString()}`,
    now,
    keys: authorityKeys,
    signer: { keys: authorityKeys },
    extensions: [
      new BasicConstraintsExtension(true, 0, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign, true),
    ],
  });
  const certificate = await sign({
    subject: `CN=${names[0] ?? 'sless'}`,
    now,
    keys,
    signer: { keys: authorityKeys, certificate: authority },
    extensions: [
      new BasicConstraintsExtension(false, undefined, true),
      new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
      new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth]),
      new SubjectAlternativeNameExtension(names.map((value) => ({ type: 'dns' as const, value }))),
    ],
  });
  return {
    certificate: `${certificate.toString('pem')}\n`,
    key: await privatePem(keys),
    authority: `${authority.toString('pem')}\n`,
  };
}

interface Order {
  readonly subject: string;
  readonly now: number;
  readonly keys: Keys;
  /** Without a certificate: itself. */
  readonly signer: { readonly keys: Keys; readonly certificate?: X509Certificate };
  readonly extensions: readonly Extension[];
}

async function sign({ subject, now, keys, signer, extensions }: Order): Promise<X509Certificate> {
  return X509CertificateGenerator.create({
    serialNumber: serial(),
    subject,
    issuer: signer.certificate?.subject ?? subject,
    notBefore: new Date(now - SKEW_MS),
    notAfter: new Date(now + VALID_MS),
    publicKey: keys.publicKey,
    signingKey: signer.keys.privateKey,
    signingAlgorithm: ALGORITHM,
    extensions: [...extensions, await SubjectKeyIdentifierExtension.create(keys.publicKey)],
  });
}

/** Positive and 16 bytes at most, as RFC 5280 wants it. */
function serial(): string {
  const bytes = randomBytes(16);
  bytes[0] = ((bytes[0] ?? 0) & 0x7f) | 0x01;
  return bytes.toString('hex');
}

async function newKeys() {
  return webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
}

async function privatePem({ privateKey }: Keys): Promise<string> {
  const bytes = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', privateKey));
  const lines = bytes.toString('base64').match(/.{1,64}/g) ?? [];
  return ['-----BEGIN PRIVATE KEY-----', ...lines, '-----END PRIVATE KEY-----', ''].join('\n');
}
