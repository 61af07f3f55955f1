import { access } from 'node:fs/promises';
import { join } from 'node:path';
import type { Runtime } from '../../runtimes/catalogue.ts';
import { type Environment, pick } from '../environment.ts';
import type { Command } from '../process/guarded.ts';
import { resolveProgram, searchPath } from '../process/program.ts';

/**
 * What pip and npm need of this machine to reach a registry: its proxies, its certificates, where the user keeps their
 * settings and caches. A function's own process gets none of it.
 */
const PASSED_ON =
  /^(HOME|TMPDIR|LANG|LC_ALL|SSL_CERT_FILE|SSL_CERT_DIR|REQUESTS_CA_BUNDLE|CURL_CA_BUNDLE|NODE_EXTRA_CA_CERTS|https?_proxy|no_proxy|all_proxy|PIP_.*|npm_config_(registry|cache|userconfig|cafile|proxy|https_proxy|noproxy))$/i;

/** The command that installs what the code asks for, or `undefined` when it asks for nothing. */
export async function installCommand(
  runtime: Runtime,
  folder: string,
  machine: Environment,
): Promise<Command | undefined> {
  for (const { file, local } of runtime.install) {
    if (await exists(join(folder, file))) {
      const path = searchPath(machine.PATH);
      const env = { ...pick(machine, PASSED_ON), PATH: path };
      return { argv: resolveProgram(local, path), cwd: folder, env };
    }
  }
  return undefined;
}

async function exists(path: string): Promise<boolean> {
  try {
    await access(path);
    return true;
  } catch {
    return false;
  }
}
