import { SlessError } from '../errors.ts';
import type { Clock } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';
import type { WebhookTrust } from '../ports/webhook-trust.ts';
import { issueCertificate } from './issue.ts';
import { reasonToRenew, stillTrusted } from './renewal.ts';

export interface CertificateDeps {
  readonly trust: WebhookTrust;
  readonly clock: Clock;
  readonly logger: Logger;
}

export interface CertificateOptions {
  /** The host names under which the webhooks are called. */
  readonly names: readonly string[];
  /** Whether certificates are made here. Otherwise somebody else fills the Secret, and only trust is carried on. */
  readonly issue: boolean;
}

/**
 * Before an installation or upgrade: a certificate where there is no Secret at all, for the pods that wait for it. Nothing else
 * is touched, the controllers least of all.
 */
export async function firstCertificate(
  { trust, clock, logger }: CertificateDeps,
  { names }: Pick<CertificateOptions, 'names'>,
): Promise<void> {
  if ((await trust.secret()) !== undefined) return;
  logger.info({ names }, 'the first certificate is made');
  const { certificate, key, authority } = await issueCertificate(names, clock.now());
  await trust.saveSecret({ certificate, key, authorities: authority });
}

/**
 * Sees to it that the operator has a certificate and that Metacontroller trusts it. May run at any time and as often as
 * one likes: what is good stays. A new certificate is trusted before it is used, and the old one for as long as it is good,
 * so that no call fails while one follows the other.
 */
export async function keepCertificate(
  { trust, clock, logger }: CertificateDeps,
  { names, issue }: CertificateOptions,
): Promise<void> {
  const secret = await trust.secret();
  const reason = issue ? reasonToRenew(secret, { names, now: clock.now() }) : undefined;
  if (reason === undefined) {
    const { authorities = '' } = secret ?? {};
    if (authorities === '') throw nothingToTrust();
    await trustAll({ trust, logger }, authorities);
  } else {
    logger.info({ reason, names }, 'a new certificate is made');
    const { certificate, key, authority } = await issueCertificate(names, clock.now());
    // Of the old ones the first has signed what is still in use.
    const authorities = [authority, ...stillTrusted(secret?.authorities, clock.now()).slice(0, 1)].join('');
    await trustAll({ trust, logger }, authorities);
    await trust.saveSecret({ certificate, key, authorities });
  }
  if (issue && !secret?.owned) await trust.ownSecret();
}

async function trustAll(
  { trust, logger }: Pick<CertificateDeps, 'trust' | 'logger'>,
  authorities: string,
): Promise<void> {
  const controllers = await trust.controllers();
  for (const controller of controllers) {
    if (Object.values(controller.hooks).every((trusted) => trusted === authorities)) continue;
    await trust.trust(controller, authorities);
    logger.info({ kind: controller.kind, name: controller.name }, 'the controller trusts the certificate');
  }
}

function nothingToTrust(): SlessError {
  return new SlessError(
    'Unavailable',
    'the Secret of the certificate has no ca.crt yet: whoever issues it must put its authority there',
  );
}
