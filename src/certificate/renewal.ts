import { createPrivateKey, X509Certificate } from 'node:crypto';
import type { CertificateSecret } from '../ports/webhook-trust.ts';
import { VALID_MS } from './issue.ts';

/** With a third of its life left. */
const RENEWAL_MS = VALID_MS / 3;

/** What a certificate must be good for. */
export interface Wanted {
  /** The host names under which the webhooks are called. */
  readonly names: readonly string[];
  readonly now: number;
}

/** Why a new certificate is needed; `undefined` when the one in the Secret is good. */
export function reasonToRenew(secret: CertificateSecret | undefined, wanted: Wanted): string | undefined {
  if (secret === undefined) return 'there is no Secret yet';
  const { certificate, key, authorities } = secret;
  if (!certificate || !key || !authorities) return 'the Secret lacks a certificate, its key or its authority';
  try {
    return fault(new X509Certificate(certificate), { key, authorities, wanted });
  } catch {
    return 'what the Secret holds cannot be read';
  }
}

interface Rest {
  readonly key: string;
  readonly authorities: string;
  readonly wanted: Wanted;
}

function fault(certificate: X509Certificate, { key, authorities, wanted }: Rest): string | undefined {
  if (!certificate.checkPrivateKey(createPrivateKey(key))) return 'the key is not the one of the certificate';
  const missing = wanted.names.find((name) => certificate.checkHost(name) === undefined);
  if (missing !== undefined) return `the certificate does not name ${missing}`;
  if (certificate.validToDate.getTime() - wanted.now < RENEWAL_MS)
    return `the certificate ends on ${certificate.validTo}`;
  const signed = splitPem(authorities).some((pem) => certificate.verify(new X509Certificate(pem).publicKey));
  return signed ? undefined : 'none of the authorities has signed the certificate';
}

/** The certificates of a PEM text, each by itself. */
export function splitPem(text: string): string[] {
  return (text.match(/-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g) ?? []).map(
    (pem) => `${pem}\n`,
  );
}

/** The newest of these authorities that are still good, the one that signs first. */
export function stillTrusted(authorities: string | undefined, now: number): string[] {
  return splitPem(authorities ?? '').filter((pem) => isGood(pem, now));
}

function isGood(pem: string, now: number): boolean {
  try {
    return new X509Certificate(pem).validToDate.getTime() > now;
  } catch {
    return false;
  }
}
