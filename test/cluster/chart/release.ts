import { spawn } from 'node:child_process';
import { resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { stringify } from 'yaml';
import type { Kubectl } from '../kubectl.ts';

const CHART = resolve(import.meta.dirname, '../../../charts/sless');
const NAME = 'sless';

/** The chart in a cluster, as `helm` keeps it. */
export interface Release {
  readonly namespace: string;
  /** As docs/install.md says it: `helm install`, and waits until all is ready. */
  install(values: object): Promise<void>;
  /** As docs/upgrade.md says it. */
  upgrade(values: object): Promise<void>;
  /** `helm test --logs`: what it printed, whether or not it liked it. */
  test(): Promise<string>;
  uninstall(): Promise<void>;
  /** Where a Service is, as this machine and pods reach it. */
  address(service: string): Promise<string>;
}

interface Site {
  readonly kubeconfig: string;
  readonly namespace: string;
  readonly admin: Kubectl;
}

export function createRelease({ kubeconfig, namespace, admin }: Site): Release {
  const helm = (args: readonly string[], stdin = '') =>
    runHelm(['--kubeconfig', kubeconfig, '-n', namespace, ...args], stdin);
  const apply = (verb: 'install' | 'upgrade') => async (values: object) => {
    const flags = ['--wait', '--timeout', '6m', '-f', '-'];
    await helm([verb, NAME, CHART, ...flags], stringify(values)).catch(async (error: Error) => {
      throw new Error(`${error.message}\n${await whatRuns(admin, namespace)}`, { cause: error });
    });
  };
  return {
    namespace,
    install: apply('install'),
    upgrade: apply('upgrade'),
    test: () => helm(['test', NAME, '--logs', '--timeout', '2m']).catch((error: Error) => error.message),
    uninstall: async () => {
      await helm(['uninstall', NAME, '--wait', '--timeout', '2m', '--ignore-not-found']);
    },
    address: async (service) => {
      const { spec } = (await admin.get('service', service, '-n', namespace)) as {
        readonly spec: { readonly clusterIP: string };
      };
      return spec.clusterIP;
    },
  };
}

/**
 * Makes the CRDs that other tests have left on this cluster those of the release, for Helm refuses what is not its own. On a cluster of its
 * own a first installation finds none, and a second one those of the first.
 */
export async function handOverCrds(admin: Kubectl, namespace: string): Promise<void> {
  const names = (await admin.run(['get', 'crd', '-o', 'name']))
    .split('\n')
    .filter((name) => name.endsWith('.sless.dev'));
  if (names.length === 0) return;
  const owner = [`meta.helm.sh/release-name=${NAME}`, `meta.helm.sh/release-namespace=${namespace}`];
  await admin.run(['annotate', '--overwrite', ...names, ...owner]);
  await admin.run(['label', '--overwrite', ...names, 'app.kubernetes.io/managed-by=Helm']);
}

/** Pods and the last words of each: Helm itself says no more than that something is not ready. */
async function whatRuns(admin: Kubectl, namespace: string): Promise<string> {
  const pods = await admin.run(['get', 'pods', '-n', namespace, '-o', 'wide']);
  const selector = 'app.kubernetes.io/part-of=sless';
  const logs = await admin.run(['logs', '-n', namespace, '-l', selector, '--prefix', '--tail=5']);
  return `${pods}\n${logs}`;
}

async function runHelm(args: readonly string[], stdin: string): Promise<string> {
  const child = spawn('helm', args);
  child.stdin.on('error', () => undefined).end(stdin);
  const exit = new Promise<number | null>((resolved, reject) => {
    child.on('error', reject).on('close', resolved);
  });
  const [out, complaint, code] = await Promise.all([text(child.stdout), text(child.stderr), exit]);
  if (code !== 0) throw new Error(`helm ${args.slice(4).join(' ')}: ${out}${complaint}`);
  return out;
}
