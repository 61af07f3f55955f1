import { SlessError } from '../errors.ts';
import type { Clock } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';
import type { CertificateSecret, WebhookTrust } from '../ports/webhook-trust.ts';
import { issueCertificate } from './issue.ts';
import { reasonToRenew, splitPem, stillTrusted } from './renewal.ts';

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

/** Kubernetes collects within seconds, under load within a minute. The Job of the installation tries again after this. */
const COLLECTED_MS = 60_000;

/**
 * Before an installation or upgrade: a certificate where there is no Secret at all, for the pods that wait for it. Nothing else
 * is touched, the controllers least of all. The Secret of an installation that is gone is about to be collected: that is waited for.
 */
export async function firstCertificate(
  { trust, clock, logger, pause }: CertificateDeps & { readonly pause: () => Promise<void> },
  { names }: Pick<CertificateOptions, 'names'>,
): Promise<void> {
  const until = clock.now() + COLLECTED_MS;
  let secret = await trust.secret();
  while (secret?.owner === 'gone') {
    if (clock.now() > until) throw notCollected();
    await pause();
    secret = await trust.secret();
  }
  if (secret !== undefined) return;
  logger.info({ names }, 'the first certificate is made');
  const { certificate, key, authority } = await issueCertificate(names, clock.now());
  // Where another run was quicker, there is one now.
  await trust.createSecret({ certificate, key, authorities: authority });
}

/** More than two runs at once there can hardly be: the one of an upgrade, the one of the day, and one by hand. */
const ATTEMPTS = 5;

/**
 * Sees to it that the operator has a certificate and that Metacontroller trusts it. May run at any time, beside itself too, and as often as
 * one likes: what is good stays. A new certificate is trusted before it is used, and the old one for as long as it is good,
 * so that no call fails while one follows the other.
 */
export async function keepCertificate(deps: CertificateDeps, options: CertificateOptions): Promise<void> {
  const { trust } = deps;
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const secret = await trust.secret();
    if (await wasRenewed(deps, secret, options)) continue;
    await trustAll(deps, await toTrust(deps, secret, options));
    // Of two runs only one can save, and each overwrites whom the other trusts: so each ends with what is there to be used.
    if ((await trust.secret())?.version !== secret?.version) continue;
    if (options.issue && secret?.owner !== 'ours') await trust.ownSecret();
    return;
  }
  throw new SlessError('Unavailable', 'the Secret of the certificate is changed by others again and again');
}

/** Whether it was to be renewed. Then, saved or not, the Secret is another now. */
async function wasRenewed(
  { trust, clock, logger }: CertificateDeps,
  secret: CertificateSecret | undefined,
  { names, issue }: CertificateOptions,
): Promise<boolean> {
  const reason = issue ? reasonToRenew(secret, { names, now: clock.now() }) : undefined;
  if (reason === undefined) return false;
  logger.info({ reason, names }, 'a new certificate is made');
  const { certificate, key, authority } = await issueCertificate(names, clock.now());
  const before = await authoritiesInUse(trust, secret, clock.now());
  const authorities = [authority, ...before].join('');
  await trustAll({ trust, logger }, authorities);
  const texts = { certificate, key, authorities };
  if (secret === undefined) await trust.createSecret(texts);
  else await trust.replaceSecret(secret.version, texts);
  return true;
}

/**
 * What the Secret says. Where somebody else fills it, that knows nothing of the certificate before: whom the controllers have trusted until
 * now they trust once more, until the next run, by when pods show the new one.
 */
async function toTrust(
  { trust, clock }: CertificateDeps,
  secret: CertificateSecret | undefined,
  { issue }: CertificateOptions,
): Promise<string> {
  const { authorities = '' } = secret ?? {};
  if (authorities === '') throw nothingToTrust();
  if (issue) return authorities;
  const said = splitPem(authorities);
  const before = (await authoritiesInUse(trust, undefined, clock.now())).filter((pem) => !said.includes(pem));
  return before.length === 0 ? authorities : [...said, ...before].join('');
}

/**
 * Who has signed what the operator's pods still show. Of several the first one has; and where the Secret was deleted, the controllers
 * know it.
 */
async function authoritiesInUse(
  trust: Pick<WebhookTrust, 'controllers'>,
  secret: CertificateSecret | undefined,
  now: number,
): Promise<readonly string[]> {
  const trusted = (await trust.controllers()).flatMap(({ hooks }) => Object.values(hooks));
  const first = [secret?.authorities, ...trusted].flatMap((text) => stillTrusted(text, now).slice(0, 1));
  return [...new Set(first)];
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

function notCollected(): SlessError {
  return new SlessError(
    'Unavailable',
    'the Secret of the certificate belongs to an installation that is gone, and was not collected: delete it',
  );
}

function nothingToTrust(): SlessError {
  return new SlessError(
    'Unavailable',
    'the Secret of the certificate has no ca.crt yet: whoever issues it must put its authority there',
  );
}
