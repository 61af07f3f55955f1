import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Access, keepAccess } from './access.ts';
import { createAgentKeeper } from './agents.ts';
import { inCluster } from './in-cluster.ts';
import { kubeconfig } from './kubeconfig.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sless-access-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const write = async (name: string, content: string): Promise<string> => {
  await writeFile(join(folder, name), content);
  return join(folder, name);
};

const plain: Access = { server: 'https://api', tls: {}, headers: { authorization: 'Bearer 1' } };

test('what was read is believed for ten seconds, then read again', async () => {
  let now = 0;
  let reads = 0;
  const access = keepAccess(
    async () => ({ ...plain, headers: { authorization: `Bearer ${++reads}` } }),
    () => now,
  );
  const token = async (refused?: boolean) => (await access(refused)).headers.authorization;
  expect(await token()).toBe('Bearer 1');
  now = 9_999;
  expect(await token()).toBe('Bearer 1');
  expect(await token(true)).toBe('Bearer 2');
  now = 19_999;
  expect(await token()).toBe('Bearer 3');
});

test('while files cannot be read, what they last said stands; without that, the reason is told', async () => {
  let broken = true;
  const access = keepAccess(
    async () => {
      if (broken) throw new Error('gone');
      return plain;
    },
    () => 0,
  );
  await expect(access()).rejects.toThrow('gone');
  broken = false;
  await access();
  broken = true;
  expect(await access(true)).toBe(plain);
});

test('a pod shows the token and trusts the authority of its folder, as they are now', async () => {
  await write('token', 'one\n');
  await write('ca.crt', 'authority');
  const source = inCluster({ host: 'fd00::1', port: '443', folder });
  expect(await source()).toEqual({
    server: 'https://[fd00::1]:443',
    tls: { ca: 'authority' },
    headers: { authorization: 'Bearer one' },
  });
  await rename(await write('next', 'two'), join(folder, 'token'));
  expect((await source()).headers).toEqual({ authorization: 'Bearer two' });
});

test('other certificates mean other connections; another token does not', async () => {
  const keeper = createAgentKeeper();
  const first = keeper.for(plain);
  expect(keeper.for({ ...plain, headers: { authorization: 'Bearer 2' } })).toBe(first);
  const second = keeper.for({ ...plain, tls: { ca: 'other' } });
  expect(second).not.toBe(first);
  await keeper.destroy();
});

const config = (user: object, cluster: object = { server: 'https://api:6443/' }): string =>
  JSON.stringify({
    clusters: [{ name: 'c', cluster }],
    users: [{ name: 'u', user }],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
    'current-context': 'x',
  });

test('a kubeconfig gives server, token and certificates, whose paths are relative to it', async () => {
  await write('ca.pem', 'authority');
  await write('client.pem', 'certificate');
  const cluster = {
    server: 'https://api:6443/',
    'certificate-authority': 'ca.pem',
    'tls-server-name': 'kubernetes',
  };
  const key = Buffer.from('key').toString('base64');
  const path = await write(
    'config',
    config({ token: 't', 'client-certificate': 'client.pem', 'client-key-data': key }, cluster),
  );
  expect(await kubeconfig({ path })()).toEqual({
    server: 'https://api:6443',
    tls: { ca: 'authority', cert: 'certificate', key: 'key', servername: 'kubernetes' },
    headers: { authorization: 'Bearer t' },
  });
});

test('a kubeconfig that changes is read again', async () => {
  const path = await write('config', config({ token: 'one' }));
  const source = kubeconfig({ path });
  await source();
  await write('config', config({ token: 'two' }));
  expect((await source()).headers).toEqual({ authorization: 'Bearer two' });
});

test('an exec plugin is asked for the token', async () => {
  const credential = { kind: 'ExecCredential', status: { token: 'from-plugin' } };
  const exec = {
    apiVersion: 'client.authentication.k8s.io/v1',
    command: process.execPath,
    args: ['-e', `console.log(${JSON.stringify(JSON.stringify(credential))})`],
  };
  const path = await write('config', config({ exec }));
  expect((await kubeconfig({ path })()).headers).toEqual({ authorization: 'Bearer from-plugin' });
});

test('name and password become basic authentication', async () => {
  const path = await write('config', config({ username: 'me', password: 'é' }));
  const basic = Buffer.from('me:é').toString('base64');
  expect((await kubeconfig({ path })()).headers).toEqual({ authorization: `Basic ${basic}` });
});

test('of several files the first that defines a name wins; another context can be named', async () => {
  const one = await write('one', config({ token: 'one' }));
  const two = await write(
    'two',
    JSON.stringify({
      clusters: [{ name: 'c', cluster: { server: 'https://second' } }],
      users: [{ name: 'v', user: { token: 'two' } }],
      contexts: [{ name: 'y', context: { cluster: 'c', user: 'v' } }],
      'current-context': 'y',
    }),
  );
  const path = [one, two].join(delimiter);
  expect(await kubeconfig({ path })()).toMatchObject({ headers: { authorization: 'Bearer one' } });
  expect(await kubeconfig({ path, context: 'y' })()).toMatchObject({
    server: 'https://api:6443',
    headers: { authorization: 'Bearer two' },
  });
});

test.each([
  ['is not there', undefined, /ENOENT.*config/],
  ['is no kubeconfig', '{"clusters":[{}]}', /config is not a usable kubeconfig/],
  [
    'names a cluster that it lacks',
    '{"contexts":[],"current-context":"x"}',
    /no cluster for its context "x"/,
  ],
])('a kubeconfig that %s says so', async (_how, content, words) => {
  const path = join(folder, 'config');
  if (content !== undefined) await write('config', content);
  await expect(kubeconfig({ path })()).rejects.toThrow(words);
});
