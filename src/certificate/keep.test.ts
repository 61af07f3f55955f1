import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { connect } from 'node:tls';
import { expect, test } from 'vitest';
import type { Logger } from '../ports/logger.ts';
import type { CertificateSecret, WebhookController, WebhookTrust } from '../ports/webhook-trust.ts';
import { VALID_MS } from './issue.ts';
import { firstCertificate, keepCertificate } from './keep.ts';
import { webhookNames } from './names.ts';
import { splitPem } from './renewal.ts';

const NAMES = webhookNames({ namespace: 'sless-system', service: 'sless-operator' });
const NOW = Date.parse('2026-03-01T12:00:00Z');
const quiet: Logger = {
  debug: () => {},
  info: () => {},
  warn: () => {},
  error: () => {},
  child: () => quiet,
};

/** A cluster with two controllers, one of them with two hooks; it writes down what was done, in order. */
function world(installed = true) {
  let secret: CertificateSecret | undefined;
  const done: string[] = [];
  const hooks: Record<string, Record<string, string | undefined>> = {
    'sless-functions': { sync: undefined, customize: undefined },
    'sless-trigger-label': { sync: undefined },
  };
  const trust: WebhookTrust = {
    secret: async () => secret,
    saveSecret: async (saved) => {
      done.push('save');
      secret = { owner: secret?.owner ?? 'none', ...saved };
    },
    ownSecret: async () => {
      if (!installed || secret === undefined) return;
      done.push('own');
      secret = { ...secret, owner: 'ours' };
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
  const run = async (at = NOW, options: Partial<Parameters<typeof keepCertificate>[1]> = {}) => {
    done.length = 0;
    const deps = { trust, clock: { now: () => at }, logger: quiet };
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
    secret: () => secret!,
    put: (next: CertificateSecret | undefined) => (secret = next),
    hooks,
    install: () => (installed = true),
  };
}

const TRUSTED = ['trust sless-functions', 'trust sless-trigger-label'];

test('before the installation a certificate is made; after it, it is trusted and owned, and then nothing changes', async () => {
  const { run, first, secret, hooks, install } = world(false);
  expect(await first()).toEqual(['save']);
  expect(await first()).toEqual([]);
  install();
  expect(await run()).toEqual([...TRUSTED, 'own']);
  expect(hooks['sless-functions']).toEqual({ sync: secret().authorities, customize: secret().authorities });
  expect(await run()).toEqual([]);
  expect(await run(NOW + VALID_MS / 2)).toEqual([]);
});

test('a controller that has lost its trust gets it back', async () => {
  const { run, hooks } = world();
  await run();
  hooks['sless-functions']!.customize = undefined;
  expect(await run()).toEqual(['trust sless-functions']);
});

test('in time a new certificate is made: trusted before it is used, beside the one before it', async () => {
  const { run, secret, hooks } = world();
  await run();
  const [first] = splitPem(secret().authorities!);
  const later = NOW + (VALID_MS * 3) / 4;
  expect(await run(later)).toEqual([...TRUSTED, 'save']);
  const second = splitPem(secret().authorities!);
  expect(second).toEqual([expect.any(String), first]);
  expect(hooks['sless-trigger-label']!.sync).toBe(secret().authorities);
  await run(later + (VALID_MS * 3) / 4);
  // The first one is over by then.
  expect(splitPem(secret().authorities!)).toEqual([expect.any(String), second[0]]);
});

test('where the Secret was deleted, the one that pods still show stays trusted', async () => {
  const { run, secret, hooks, put } = world();
  await run();
  const [first] = splitPem(secret().authorities!);
  put(undefined);
  expect(await run()).toEqual([...TRUSTED, 'save', 'own']);
  expect(splitPem(secret().authorities!)).toEqual([expect.any(String), first]);
  expect(hooks['sless-functions']!.sync).toBe(secret().authorities);
  expect(await run()).toEqual([]);
});

test('the Secret of an installation that is gone is waited for until it is collected, and then made anew', async () => {
  const { run, first, secret, put } = world();
  await run();
  const old = secret();
  put({ ...old, owner: 'gone' });
  let waited = 0;
  const done = await first(() => {
    waited += 1;
    if (waited === 3) put(undefined);
  });
  expect(done).toEqual(['save']);
  expect(secret().certificate).not.toBe(old.certificate);
  put({ ...old, owner: 'gone' });
  await expect(first(() => {})).rejects.toThrow('belongs to an installation that is gone');
});

test('one that was not collected yet when the installation is there is taken over', async () => {
  const { run, secret, put } = world();
  await run();
  put({ ...secret(), owner: 'gone' });
  expect(await run()).toEqual(['own']);
  expect(secret().owner).toBe('ours');
});

test.each<[string, (secret: CertificateSecret) => CertificateSecret]>([
  ['without a key', ({ key: _, ...rest }) => rest],
  ['with rubbish', (secret) => ({ ...secret, certificate: 'rubbish' })],
  ['with the authority of another', (secret) => ({ ...secret, authorities: secret.certificate! })],
])('a Secret %s is filled anew', async (_, spoil) => {
  const { run, secret, put } = world();
  await run();
  put(spoil(secret()));
  expect(await run()).toContain('save');
  expect(await run()).toEqual([]);
});

test('a certificate for other names is made anew', async () => {
  const { run } = world();
  await run();
  const names = webhookNames({ namespace: 'elsewhere', service: 'sless-operator' });
  expect(await run(NOW, { names })).toContain('save');
});

test('a certificate that somebody else issues is left alone, and its authority is carried on', async () => {
  const { run, put } = world();
  await expect(run(NOW, { issue: false })).rejects.toThrow('has no ca.crt yet');
  put({ certificate: 'c', key: 'k', authorities: 'theirs', owner: 'none' });
  expect(await run(NOW, { issue: false })).toEqual(TRUSTED);
});

test('a TLS client that trusts the authority reaches a server with the certificate by each of its names', async () => {
  const { run, secret } = world();
  await run(Date.now());
  const { certificate: cert = '', key = '', authorities: ca = '' } = secret();
  expect(new X509Certificate(cert).ca).toBe(false);
  const server = createServer({ cert, key }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const reach = async (servername: string) => {
    const socket = connect({ host: '127.0.0.1', port, ca, servername });
    await once(socket, 'secureConnect');
    socket.destroy();
  };
  for (const name of NAMES) await reach(name);
  await expect(reach('sless-api.sless-system')).rejects.toThrow(/altnames/i);
  server.close();
});
