import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createS3Store, type S3Store } from '../../src/adapters/s3-store.ts';
import { type Building, buildingOf } from './building.ts';
import { drivers } from './driver.ts';
import { clusterEnvironment } from './environment.ts';
import { type InstallableEnvironment, type Installation, install, isInstallable } from './installation.ts';
import { kubectl } from './kubectl.ts';
import { createTenant, type Tenant } from './tenant.ts';
import { waitFor } from './wait-for.ts';

const environment = clusterEnvironment();
if (isInstallable(environment)) failures(environment, drivers(environment).at(-1)!);
else test.skip('builds that fail on a cluster', () => undefined);

const HELLO = { 'handler.py': 'def handle(event):\n    return {"hello": "world"}\n' };
/** Three pods, with ten and twenty seconds between them, and four tries in each. */
const ALL_TRIES_MS = 180_000;

/** A registry that refuses all pushes; that of the function `away` it cannot take, and of `late` it says nothing. */
async function startRefusingRegistry(host: string): Promise<Server & { readonly at: string }> {
  const server = createServer(({ url = '' }, response) => {
    if (url === '/v2/') return void response.end();
    if (url.includes('/late/')) return;
    const isAway = url.includes('/away/');
    const error = isAway ? 'UNAVAILABLE' : 'DENIED';
    response.writeHead(isAway ? 500 : 403, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ errors: [{ code: error, message: 'not for you' }] }));
  }).listen(0, host);
  await once(server, 'listening');
  return Object.assign(server, { at: `${host}:${(server.address() as AddressInfo).port}` });
}

function failures(given: InstallableEnvironment, driver: Parameters<typeof install>[1]): void {
  describe(`builds that fail, driven by the ${driver}`, { timeout: 240_000 }, () => {
    let registry: Awaited<ReturnType<typeof startRefusingRegistry>>;
    let sless: Installation;
    let alice: Tenant;
    let store: S3Store;
    let builds: Building;

    beforeAll(async () => {
      registry = await startRefusingRegistry(given.hostIp);
      sless = await install(given, driver, {
        operator: {
          REGISTRY_HOST: registry.at,
          REGISTRY_INSECURE: 'true',
          RUNTIME_IMAGE_TEMPLATE: `${given.registryHost}/{image}:{version}`,
        },
      });
      alice = await createTenant(sless, given.kubeconfig);
      builds = buildingOf(alice, given.kubeconfig);
      const { endpoint, bucket, ...keys } = sless.store;
      store = createS3Store({ endpoint, bucket, region: 'us-east-1', credentials: async () => keys });
    }, 600_000);
    afterAll(async () => {
      await alice?.drop();
      await sless?.close();
      store?.close();
      registry?.close();
      registry?.closeAllConnections();
    });

    const declare = (name: string, fields: object = {}) =>
      alice.call('POST', '/functions', { name, runtime: 'python3.11', ...fields });
    /** As kubectl and GitOps do, past the api. */
    const pointAt = (name: string, file: string) =>
      kubectl(given.kubeconfig).run([
        ...['patch', 'function', name, '-n', alice.namespace, '--type=merge', '-p'],
        JSON.stringify({
          spec: {
            s3Key: `contexts/${alice.namespace}/${name}/${file}`,
            s3Bucket: sless.store.bucket,
            build: 'append',
          },
        }),
      ]);
    test('a key under which nothing lies fails at once, and says so', async () => {
      await declare('nothing');
      await pointAt('nothing', 'absent.tar.gz');
      const { reason, message } = await builds.failed('nothing');
      expect(reason).toBe('NoSuchVersion');
      expect(message).toContain(`there is nothing stored under contexts/${alice.namespace}/nothing/absent`);
      expect(await builds.pods('nothing')).toBe(1);
    });

    test('a context that is damaged fails at once', async () => {
      await declare('damaged');
      const garbage = Buffer.from('no archive');
      await store.put(`contexts/${alice.namespace}/damaged/x.tar.gz`, garbage, { size: garbage.length });
      await pointAt('damaged', 'x.tar.gz');
      const { reason, message } = await builds.failed('damaged');
      expect(reason).toBe('InvalidArchive');
      expect(message).toContain('the stored build context cannot be used: it is damaged');
      expect(await builds.pods('damaged')).toBe(1);
    });

    test('what a registry refuses is told at once', async () => {
      await declare('refused');
      await alice.upload('refused', HELLO);
      const { reason, message } = await builds.failed('refused');
      expect(reason, message).toBe('RegistryRefused');
      expect(message).toMatch(
        /^the image could not be put into the registry: .*(403 Forbidden|not for you)/s,
      );
      expect(await builds.pods('refused')).toBe(1);
    });

    test('what a registry cannot take is told when the tries are used up, and what they met before', async () => {
      await declare('away');
      await alice.upload('away', HELLO);
      await waitFor({
        for: 'away says what its first try has met',
        look: () => alice.describe('away'),
        holds: ({ phase, message }) => phase === 'Building' && /but not well: .*500/.test(String(message)),
      });
      const { reason, message } = await builds.failed('away', ALL_TRIES_MS);
      expect(reason, message).toBe('RegistryUnavailable');
      expect(message).toMatch(/all tries are used up.*the image could not be put into the registry: .*500/s);
      expect(await builds.pods('away')).toBe(3);
    });

    test('a build that takes too long is ended', async () => {
      await declare('late', { build_timeout_seconds: 30 });
      await alice.upload('late', HELLO);
      expect((await builds.failed('late', ALL_TRIES_MS)).reason).toBe('BuildTimedOut');
    });
  });
}
