import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Building, buildingOf } from './building.ts';
import { createCleanup } from './cleanup.ts';
import { type GuardedRegistry, startGuardedRegistry } from './guarded-registry.ts';
import { type InstallableEnvironment, type Installation, install } from './installation.ts';
import { kubectl } from './kubectl.ts';
import { createTenant, type Tenant } from './tenant.ts';

/** An installation with one tenant, whose registry asks for a login and has a CA of its own. */
export interface Stage {
  readonly registry: GuardedRegistry;
  readonly sless: Installation;
  readonly alice: Tenant;
  readonly builds: Building;
  /** In the tenant's namespace; a text is a login. */
  giveSecret(name: string, data: string | Readonly<Record<string, string>>): Promise<void>;
  declare(name: string, runtime: string): Promise<void>;
  /** What the function answers to a name. */
  call(name: string): Promise<unknown>;
  close(): Promise<void>;
}

/** An installation whose registry asks for a login and has a CA of its own, and a tenant who was given the login. */
export async function openStage(
  given: InstallableEnvironment,
  driver: Parameters<typeof install>[1],
  operator: Readonly<Record<string, string>> = {},
): Promise<Stage> {
  const cleanup = createCleanup();
  try {
    const registry = await startGuardedRegistry(given.hostIp, given.registryHost);
    cleanup.add('registry', async () => registry.close());
    const folder = await mkdtemp(join(tmpdir(), 'sless-ca-'));
    cleanup.add('folder', () => rm(folder, { recursive: true, force: true }));
    const caFile = join(folder, 'ca.crt');
    await writeFile(caFile, registry.ca);
    const settings = {
      REGISTRY_HOST: registry.at,
      REGISTRY_INSECURE: 'false',
      REGISTRY_CA_FILE: caFile,
      PUSH_SECRET: 'sless-registry-auth',
    };
    const sless = await install(given, driver, { openStore: true, operator: { ...settings, ...operator } });
    cleanup.add('installation', sless.close);
    const alice = await createTenant(sless, given.kubeconfig);
    cleanup.add('tenant', alice.drop);
    const stage = { registry, sless, alice, builds: buildingOf(alice, given.kubeconfig) };
    const giveSecret: Stage['giveSecret'] = (name, data) =>
      kubectl(given.kubeconfig).apply({
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name, namespace: alice.namespace },
        ...(typeof data === 'string'
          ? { type: 'kubernetes.io/dockerconfigjson', stringData: { '.dockerconfigjson': data } }
          : { stringData: data }),
      });
    await giveSecret('sless-registry-auth', registry.dockerConfig);
    const declare: Stage['declare'] = async (name, runtime) => {
      await alice.call('POST', '/functions', { name, runtime });
      await alice.call('POST', '/triggers', { name, type: 'http', function: name });
    };
    const call: Stage['call'] = async (name) => {
      const headers = { 'content-type': 'application/json' };
      return (await alice.invoke(name, { method: 'POST', headers, body: '{"name":"мир"}' })).json();
    };
    return { ...stage, giveSecret, declare, call, close: () => cleanup.run() };
  } catch (error) {
    await cleanup.run();
    throw error;
  }
}

/** The login of somebody who has none. */
export const wrongLogin = ({ at }: GuardedRegistry): string =>
  JSON.stringify({ auths: { [at]: { auth: Buffer.from('builder:old').toString('base64') } } });
