import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';

/** Runs kubectl against one cluster, the way people do. */
export interface Kubectl {
  /** Standard output; fails with standard error when kubectl does. */
  run(args: readonly string[], stdin?: string): Promise<string>;
  /** Applies an object or a list of them. */
  apply(...objects: readonly object[]): Promise<void>;
  /** The output of `kubectl get ... -o json`. */
  get(...args: readonly string[]): Promise<unknown>;
}

const TIMEOUT_MS = 60_000;

export function kubectl(kubeconfig: string): Kubectl {
  const run = async (args: readonly string[], stdin = ''): Promise<string> => {
    const child = spawn('kubectl', [`--kubeconfig=${kubeconfig}`, ...args], { timeout: TIMEOUT_MS });
    child.stdin.on('error', () => undefined).end(stdin);
    const exit = new Promise<number | null>((resolve, reject) => {
      child.on('error', reject).on('close', resolve);
    });
    const [out, complaint, code] = await Promise.all([text(child.stdout), text(child.stderr), exit]);
    if (code !== 0) throw new Error(`kubectl ${args.join(' ')}: ${complaint.trim() || `ended with ${code}`}`);
    return out;
  };
  return {
    run,
    apply: async (...objects) => {
      const list = { apiVersion: 'v1', kind: 'List', items: objects };
      await run(['apply', '--server-side', '--force-conflicts', '-f', '-'], JSON.stringify(list));
    },
    get: async (...args) => JSON.parse(await run(['get', ...args, '-o', 'json'])),
  };
}
