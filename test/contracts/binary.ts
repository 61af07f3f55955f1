import { once } from 'node:events';
import { accessSync, constants } from 'node:fs';
import { createServer } from 'node:net';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';

/** A program that tests drive when it is there: named by a variable, the test node's, or one on the PATH. */
export function findBinary(name: string, variable: string): string | undefined {
  const candidates = [
    process.env[variable],
    join(process.env.SLESS_NODE ?? join(homedir(), '.cache/sless-node'), 'bin', name),
    ...(process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, name)),
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

/** A port of that address that was free a moment ago, for a server that does not choose one itself. */
export async function freePort(host: string): Promise<number> {
  const server = createServer().listen(0, host);
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}
