import { expect } from 'vitest';
import { firstCertificate, keepCertificate } from '../../src/certificate/keep.ts';
import { webhookNames } from '../../src/certificate/names.ts';
import type { Logger } from '../../src/ports/logger.ts';
import type { CertificateSecret, WebhookController, WebhookTrust } from '../../src/ports/webhook-trust.ts';

export const NAMES = webhookNames({ namespace: 'sless-system', service: 'sless-operator' });
export const NOW = Date.parse('2026-03-01T12:00:00Z');
export const quiet: Logger = {
  debug: () => {},
  info: () => {},
  warn: () => {},
  error: () => {},
  child: () => quiet,
};

/** A cluster with two controllers, one of them with two hooks; it writes down what was done, in order. */
export function world(installed = true) {
  let secret: CertificateSecret | undefined;
  const done: string[] = [];
  const hooks: Record<string, Record<string, string | undefined>> = {
    'sless-functions': { sync: undefined, customize: undefined },
    'sless-trigger-label': { sync: undefined },
  };
  let writes = 0;
  const save = (saved: Omit<CertificateSecret, 'version'> | undefined) => {
    writes += 1;
    secret = saved && { ...saved, version: String(writes) };
  };
  const trust: WebhookTrust = {
    secret: async () => secret,
    createSecret: async (texts) => {
      if (secret !== undefined) return false;
      done.push('save');
      save({ owner: 'none', ...texts });
      return true;
    },
    replaceSecret: async (version, texts) => {
      if (secret?.version !== version) return false;
      done.push('save');
      save({ ...secret, ...texts });
      return true;
    },
    ownSecret: async () => {
      if (!installed || secret === undefined) return;
      done.push('own');
      save({ ...secret, owner: 'ours' });
    },
    controllers: async () =>
      Object.entries(installed ? hooks : {}).map(
        ([name, of]): WebhookController => ({ kind: 'CompositeController', name, hooks: { ...of } }),
      ),
    trust: async ({ name }, authorities) => {
      done.push(`trust ${name}`);
      for (const hook of Object.keys(hooks[name] ?? {})) hooks[name]![hook] = authorities;
    },
  };
  const run = async (at = NOW, options: Partial<Parameters<typeof keepCertificate>[1]> = {}, by = trust) => {
    done.length = 0;
    const deps = { trust: by, clock: { now: () => at }, logger: quiet };
    await keepCertificate(deps, { names: NAMES, issue: true, ...options });
    return [...done];
  };
  const first = async (pause: () => void = () => expect.fail('it waited')) => {
    done.length = 0;
    let now = NOW;
    const paused = async () => {
      now += 1000;
      pause();
    };
    const deps = { trust, clock: { now: () => now }, logger: quiet, pause: paused };
    await firstCertificate(deps, { names: NAMES });
    return [...done];
  };
  return {
    run,
    first,
    trust,
    secret: () => secret!,
    put: (next: Omit<CertificateSecret, 'version'> | undefined) => save(next),
    hooks,
    install: () => (installed = true),
  };
}
