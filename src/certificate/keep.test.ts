import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { connect } from 'node:tls';
import { expect, test } from 'vitest';
import { NAMES, NOW, quiet, world } from '../../test/certificate/trust-world.ts';
import type { CertificateSecret } from '../ports/webhook-trust.ts';
import { issueCertificate, VALID_MS } from './issue.ts';
import { firstCertificate } from './keep.ts';
import { webhookNames } from './names.ts';
import { splitPem } from './renewal.ts';

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

test('the first certificate of two is kept, and nothing is replaced before an installation', async () => {
  const { first, trust, secret } = world(false);
  const late = { ...trust, secret: async () => undefined };
  await first();
  const kept = secret();
  const deps = { trust: late, clock: { now: () => NOW }, logger: quiet, pause: async () => {} };
  await firstCertificate(deps, { names: NAMES });
  expect(secret()).toEqual(kept);
});

test('a Secret that changes again and again is given up in words', async () => {
  const { run, trust, secret, put } = world();
  await run();
  const restless = async () => {
    put(secret());
    return secret();
  };
  await expect(run(NOW, {}, { ...trust, secret: restless })).rejects.toThrow('again and again');
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
  expect(await run(NOW, { issue: false })).toEqual([]);
});

test('when somebody else comes to issue it, or their authority changes, the one before is trusted for one run more', async () => {
  const { run, secret, hooks, put } = world();
  await run();
  const { certificate, key, authorities: ours = '' } = secret();
  for (const before of [ours, undefined]) {
    const trusted = before ?? hooks['sless-functions']!.sync!;
    const { authority: theirs } = await issueCertificate(NAMES, NOW);
    put({ certificate: certificate!, key: key!, authorities: theirs, owner: 'none' });
    expect(await run(NOW, { issue: false })).toEqual(TRUSTED);
    expect(splitPem(hooks['sless-functions']!.customize!)).toEqual([theirs, trusted]);
    expect(await run(NOW, { issue: false })).toEqual(TRUSTED);
    expect(hooks['sless-functions']!.customize).toBe(theirs);
    expect(await run(NOW, { issue: false })).toEqual([]);
  }
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
