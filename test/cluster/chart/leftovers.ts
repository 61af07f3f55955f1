import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Kubectl } from '../kubectl.ts';

const PAGE = resolve(import.meta.dirname, '../../../docs/install.md');
const LABEL = 'app.kubernetes.io/managed-by=sless';
const COMMAND = new RegExp(`^ +kubectl delete (\\S+) -A -l ${LABEL}$`, 'm');

/** Whatever of sless lies in a namespace, a line each. */
export async function leftIn(admin: Kubectl, namespace: string): Promise<string> {
  const kinds = await admin.run(['api-resources', '--namespaced', '--verbs=list,delete', '-o', 'name']);
  const every = kinds.trim().split('\n').join(',');
  return (await admin.run(['get', every, '-n', namespace, '-l', LABEL, '-o', 'name'])).trim();
}

/** As docs/install.md says it, but in this namespace alone: other tests have theirs on the same cluster. */
export async function removeLeftovers(admin: Kubectl, namespace: string): Promise<void> {
  const [, kinds] = COMMAND.exec(readFileSync(PAGE, 'utf8')) ?? [];
  if (kinds === undefined) throw new Error(`${PAGE} has no such command`);
  await admin.run(['delete', kinds, '-n', namespace, '-l', LABEL]);
}
