import { randomBytes } from 'node:crypto';
import type { Kubectl } from './kubectl.ts';

/** A namespace that no other test has, until it is dropped. */
export interface TestNamespace {
  readonly name: string;
  /** Begins to delete it with everything in it; waits for nothing. */
  drop(): Promise<void>;
}

/** Makes a namespace with these labels. */
export async function makeNamespace(
  kubectl: Kubectl,
  labels: Readonly<Record<string, string>> = {},
): Promise<TestNamespace> {
  const name = `sless-test-${randomBytes(5).toString('hex')}`;
  await kubectl.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels } });
  return {
    name,
    drop: async () => {
      await kubectl.run(['delete', 'namespace', name, '--wait=false', '--ignore-not-found']);
    },
  };
}
