import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findBinary, freePort } from './binary.ts';

/** The registry of the CNCF: `REGISTRY_BINARY`, the test node's, or one on the PATH. */
export const findRegistry = (): string | undefined => findBinary('registry', 'REGISTRY_BINARY');

interface RegistryOptions {
  /** Content of an htpasswd file (bcrypt): a login is wanted then. */
  readonly htpasswd?: string;
  readonly deletes?: boolean;
}

/** A running registry on loopback over an empty folder. */
export async function startRegistry(
  binary: string,
  { htpasswd, deletes = true }: RegistryOptions = {},
): Promise<{ readonly host: string; close(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'sless-registry-'));
  const host = `127.0.0.1:${await freePort('127.0.0.1')}`;
  const auth =
    htpasswd === undefined ? {} : { auth: { htpasswd: { realm: 'test', path: join(folder, 'htpasswd') } } };
  if (htpasswd !== undefined) await writeFile(join(folder, 'htpasswd'), htpasswd);
  const config = {
    version: 0.1,
    storage: { filesystem: { rootdirectory: join(folder, 'data') }, delete: { enabled: deletes } },
    http: { addr: host },
    ...auth,
  };
  // JSON is YAML.
  await writeFile(join(folder, 'config.yml'), JSON.stringify(config));
  const child = spawn(binary, ['serve', join(folder, 'config.yml')], { stdio: 'ignore' });
  await answering(child, host);
  return {
    host,
    close: async () => {
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function answering(child: ChildProcess, host: string): Promise<void> {
  for (let attempt = 0; attempt < 400; attempt++) {
    if (child.exitCode !== null) throw new Error(`the registry ended with ${child.exitCode}`);
    const up = await fetch(`http://${host}/v2/`).then(
      (response) => response.status < 500,
      () => false,
    );
    if (up) return;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  throw new Error('the registry does not answer');
}
