import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { KubeObject } from '../../../src/resources/kube/object.ts';
import type { ClusterEnvironment } from '../environment.ts';
import { kubectl } from '../kubectl.ts';
import { waitFor } from '../wait-for.ts';

/** The text of one of the probes beside this. */
export const probe = (file: string): string => readFileSync(join(import.meta.dirname, file), 'utf8');

/** What a probe tries to reach. */
export interface Target {
  readonly name: string;
  readonly url: string;
  readonly method?: string;
}

/** Where clouds tell a machine who it is, keys included. Here nobody answers; where somebody does, the policies say that nobody may ask. */
export const METADATA: Target = { name: 'metadata', url: 'http://169.254.169.254/latest/meta-data/' };

/** The services of sless, by the label of their pods. */
export const PLATFORM: readonly string[] = ['operator', 'api', 'proxy', 'dispatcher'];

/** What a probe may find out. */
export interface Findings {
  readonly user: string;
  readonly env: Readonly<Record<string, string>>;
  readonly environments: readonly (string | null)[];
  readonly mounts: string;
  readonly files: readonly { readonly path: string; readonly text: string | null }[];
  readonly answers: Readonly<Record<string, { status?: number; body?: string; error?: string }>>;
}

/** What came of each target: a status, or how it failed. */
export function outcomes(
  answers: Findings['answers'],
): Readonly<Record<string, number | string | undefined>> {
  return Object.fromEntries(
    Object.entries(answers).map(([target, { status, error }]) => [target, status ?? error]),
  );
}

/** Mounts that a container has for itself, beside those that every one has. */
export function volumesIn(mounts: string): string[] {
  const OF_ALL = /^\/(proc|sys|dev|$)|^\/etc\/(hosts|hostname|resolv\.conf)$/;
  const points = mounts.split('\n').flatMap((line) => line.split(' ')[1] ?? []);
  return points.filter((point) => !OF_ALL.test(point)).sort();
}

/** The two NetworkPolicies that a tenant's namespace has received, as they lie in the cluster: whether or not its network carries them out. */
export async function policiesIn(
  { kubeconfig }: Pick<ClusterEnvironment, 'kubeconfig'>,
  namespace: string,
): Promise<readonly KubeObject[]> {
  const admin = kubectl(kubeconfig);
  return waitFor({
    for: `the NetworkPolicies of ${namespace}`,
    look: async () =>
      ((await admin.get('networkpolicies', '-n', namespace)) as { readonly items: KubeObject[] }).items,
    holds: (items) => items.length === 2,
  });
}
