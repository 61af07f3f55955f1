import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { homedir, tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';

/** The registry of the CNCF: `REGISTRY_BINARY`, the test node's, or one on the PATH. */
export function findRegistry(): string | undefined {
  const candidates = [
    process.env.REGISTRY_BINARY,
    join(process.env.SLESS_NODE ?? join(homedir(), '.cache/sless-node'), 'bin/registry'),
    ...(process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, 'registry')),
  ];
  return candidates.find((path) => path !== undefined && isExecutable(path));
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

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
  const host = `127.0.0.1:${await freePort()}`;
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

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
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
