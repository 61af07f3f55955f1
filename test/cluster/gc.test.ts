import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createOciRegistry } from '../../src/adapters/oci-registry.ts';
import { createS3Store, type S3Store } from '../../src/adapters/s3-store.ts';
import { clusterEnvironment } from './environment.ts';
import { type InstallableEnvironment, type Installation, install, isInstallable } from './installation.ts';
import { createTenant, type Tenant } from './tenant.ts';
import { waitFor } from './wait-for.ts';

const PROGRAM = resolve(import.meta.dirname, '../../src/bin/sless.ts');
const WEEK_MS = 7 * 86_400_000;
const MARKS = 'gc/unused.json';

const environment = clusterEnvironment();
if (isInstallable(environment)) upkeep(environment);
else test.skip('garbage and rebuilds on a cluster', () => undefined);

/** What an administrator runs by hand or as a CronJob, against a real store, registry and cluster. */
function upkeep(given: InstallableEnvironment): void {
  describe('what is unused goes, what was lost is built anew', { timeout: 240_000 }, () => {
    let sless: Installation;
    let alice: Tenant;
    let store: S3Store;
    const registry = createOciRegistry(fetch, { insecure: given.registryInsecure });
    const repository = (name: string) => `${given.registryHost}/sless/${alice.namespace}/${name}`;

    beforeAll(async () => {
      sless = await install(given, 'sync loop');
      alice = await createTenant(sless, given.kubeconfig);
      const { endpoint, bucket, accessKeyId, secretAccessKey } = sless.store;
      const credentials = async () => ({ accessKeyId, secretAccessKey });
      store = createS3Store({ endpoint, bucket, region: 'us-east-1', credentials });
    }, 600_000);
    afterAll(async () => {
      store?.close();
      await alice?.drop();
      await sless?.close();
    });

    /** Runs a role to its end; its lines of JSON. */
    const run = async (...words: string[]) => {
      const { endpoint, bucket, accessKeyId, secretAccessKey } = sless.store;
      const env = {
        PATH: process.env.PATH,
        KUBECONFIG: given.kubeconfig,
        REGISTRY_HOST: given.registryHost,
        REGISTRY_INSECURE: String(given.registryInsecure),
        S3_ENDPOINT: endpoint,
        S3_BUCKET: bucket,
        S3_ACCESS_KEY: accessKeyId,
        S3_SECRET_KEY: secretAccessKey,
      };
      const child = spawn(process.execPath, [PROGRAM, ...words], {
        env,
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const [output] = await Promise.all([text(child.stdout), once(child, 'exit')]);
      const lines = output
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as Record<string, unknown>);
      expect(child.exitCode, output).toBe(0);
      return { lines, last: lines.at(-1) ?? {} };
    };
    const deploy = async (name: string, word: string): Promise<string> => {
      const key = await alice.upload(name, { 'handler.py': `def handle(event):\n    return "${word}"\n` });
      await serves(name, { key, word });
      return key;
    };
    const serves = async (name: string, { key, word }: { key: string; word: string }) => {
      await waitFor({
        for: `${name} Ready with ${word}`,
        timeoutMs: 120_000,
        look: () => alice.describe(name),
        holds: ({ phase, s3_key: at }) => phase === 'Ready' && at === key,
      });
      await waitFor({
        for: `${name} answers ${word}`,
        timeoutMs: 30_000,
        look: async () => (await alice.invoke(name)).text(),
        holds: (answer) => answer === JSON.stringify(word),
      });
    };
    const declare = async (name: string) => {
      await alice.call('POST', '/functions', { name, runtime: 'python3.11' });
      await alice.call('POST', '/triggers', { name, type: 'http', function: name });
    };
    const keysOf = async (name: string): Promise<string[]> => {
      const keys: string[] = [];
      for await (const { key } of store.list(''))
        if (key.includes(`/${alice.namespace}/${name}/`)) keys.push(key);
      return keys;
    };
    /** A week later, as far as the marks know. */
    const age = async () => {
      const marks = JSON.parse(await text((await store.get(MARKS)).body)) as {
        since: Record<string, string>;
      };
      const since = Object.fromEntries(
        Object.entries(marks.since).map(([id, at]) => [id, new Date(Date.parse(at) - WEEK_MS).toISOString()]),
      );
      const body = Buffer.from(JSON.stringify({ ...marks, since }));
      await store.put(MARKS, body, { size: body.length });
    };

    test('a deleted function goes whole after its grace; a version of a history stays and can be gone back to', async () => {
      await declare('kept');
      await declare('gone');
      const first = await deploy('kept', 'first');
      const second = await deploy('kept', 'second');
      await deploy('gone', 'gone');
      await alice.call('DELETE', '/functions/gone');
      expect(await keysOf('gone')).toHaveLength(3);

      await run('gc');
      await age();
      const dry = await run('gc', '--dry-run');
      expect(await keysOf('gone')).toHaveLength(3);
      const { last } = await run('gc');
      expect(last).toMatchObject({ objects: dry.last.objects, images: dry.last.images, failures: 0 });
      expect(await keysOf('gone')).toEqual([]);
      expect(await registry.tags(repository('gone'))).toEqual([]);
      expect(await keysOf('kept')).toHaveLength(6);
      expect(await registry.tags(repository('kept'))).toHaveLength(2);

      await alice.call('POST', '/functions/kept/rollback', { s3_key: first });
      await serves('kept', { key: first, word: 'first' });
      await alice.call('POST', '/functions/kept/rollback', { s3_key: second });
      await serves('kept', { key: second, word: 'second' });
    });

    test('a registry that lost its images is filled again, and a second run with the same id builds nothing', async () => {
      for (const tag of await registry.tags(repository('kept'))) {
        const digest = await registry.digest(repository('kept'), tag);
        if (digest !== undefined) await registry.remove(repository('kept'), digest);
      }
      expect(await registry.tags(repository('kept'))).toEqual([]);
      const words = ['rebuild', '--all', '--namespace', alice.namespace, '--id', 'lost'];
      expect((await run(...words)).last).toMatchObject({ built: 1, failed: 0 });
      expect(await registry.tags(repository('kept'))).toHaveLength(1);
      const after = await alice.describe('kept');
      expect(after).toMatchObject({ phase: 'Ready' });
      const digest = String(after.image).split('@')[1];
      const [tag = ''] = await registry.tags(repository('kept'));
      expect(await registry.digest(repository('kept'), tag)).toBe(digest);
      expect((await run(...words)).last).toMatchObject({ built: 0, failed: 0, passedOver: 1 });
      expect(await (await alice.invoke('kept')).text()).toBe('"second"');
    });
  });
}
