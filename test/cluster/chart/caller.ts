import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parse, stringify } from 'yaml';
import { type Child, startChild } from '../child.ts';
import type { ClusterEnvironment } from '../environment.ts';
import type { Kubectl } from '../kubectl.ts';
import { metacontrollerArgs } from '../metacontroller.ts';
import type { Release } from './release.ts';

const LOOP = resolve(import.meta.dirname, '../loop-process.ts');
/** The ServiceAccount that stands for Metacontroller's, in the namespace of the release. */
export const ACCOUNT = 'metacontroller';

/**
 * What calls the webhooks of a release, from outside of the cluster: Metacontroller itself where there is one, with no
 * rights but those that the chart gives it, and otherwise the sync loop. It calls `https://sless-operator.<namespace>:8443`,
 * as Metacontroller does in the cluster, and trusts whom the controllers name.
 */
export interface Caller extends Pick<Child, 'log' | 'stop'> {
  readonly name: 'Metacontroller' | 'sync loop';
}

interface Site {
  readonly environment: ClusterEnvironment;
  readonly release: Release;
  readonly admin: Kubectl;
}

export async function startCaller({ environment, release, admin }: Site): Promise<Caller> {
  const folder = mkdtempSync(join(tmpdir(), 'sless-caller-'));
  const host = `sless-operator.${release.namespace}`;
  const hosts = join(folder, 'hosts');
  writeFileSync(hosts, `127.0.0.1 localhost\n${await release.address('sless-operator')} ${host}\n`);
  const env = { PATH: process.env.PATH, HOME: process.env.HOME };
  const { metacontroller, kubeconfig } = environment;
  const start = async (): Promise<Child> => {
    if (metacontroller === undefined) {
      const authorities = join(folder, 'ca.crt');
      writeFileSync(authorities, await trustedAuthorities(admin));
      const command = [process.execPath, LOOP, kubeconfig, `https://${host}:8443`];
      return startWithHosts(hosts, command, { ...env, NODE_EXTRA_CA_CERTS: authorities });
    }
    const own = join(folder, 'kubeconfig');
    const token = await admin.run(['create', 'token', ACCOUNT, '-n', release.namespace, '--duration=1h']);
    writeFileSync(own, asAccount(readFileSync(kubeconfig, 'utf8'), token.trim()), { mode: 0o600 });
    return startWithHosts(hosts, [metacontroller, ...metacontrollerArgs('dynamic-apply', own)], env);
  };
  const child = await start();
  return {
    name: metacontroller === undefined ? 'sync loop' : 'Metacontroller',
    log: child.log,
    stop: async () => {
      await child.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** With names of its own: this machine has no DNS of the cluster, and its /etc/hosts belongs to all. */
function startWithHosts(
  hosts: string,
  command: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Child {
  const script = 'mount --bind "$1" /etc/hosts && shift && exec "$@"';
  return startChild('unshare', ['--mount', 'sh', '-c', script, 'hosts', hosts, ...command], env);
}

async function trustedAuthorities(admin: Kubectl): Promise<string> {
  const controller = (await admin.get('compositecontroller', 'sless-functions')) as {
    readonly spec: {
      readonly hooks: {
        readonly sync: { readonly webhook: { readonly caBundle: { readonly inline: string } } };
      };
    };
  };
  return controller.spec.hooks.sync.webhook.caBundle.inline;
}

function asAccount(kubeconfig: string, token: string): string {
  const config = parse(kubeconfig) as { users: { name: string; user: object }[] };
  return stringify({ ...config, users: config.users.map(({ name }) => ({ name, user: { token } })) });
}
