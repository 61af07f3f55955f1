import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Runtime } from '../../runtimes/catalogue.ts';
import { installStep, MAX_ASKING_BYTES, type RootFiles } from '../../runtimes/install-step.ts';
import { type Environment, pick } from '../environment.ts';
import type { Command } from '../process/guarded.ts';
import { resolveProgram, searchPath } from '../process/program.ts';
import { buildHome } from './home.ts';

/**
 * What pip and npm need of this machine to reach a registry: its proxies, its certificates, where the user keeps their
 * settings and caches; HOME itself is another one. A function's own process gets none of it.
 */
const PASSED_ON =
  /^(TMPDIR|LANG|LC_ALL|SSL_CERT_FILE|SSL_CERT_DIR|REQUESTS_CA_BUNDLE|CURL_CA_BUNDLE|NODE_EXTRA_CA_CERTS|https?_proxy|no_proxy|all_proxy|NETRC|GIT_CONFIG_GLOBAL|PIP_.*|npm_config_(registry|cache|userconfig|cafile|proxy|https_proxy|noproxy))$/i;

/** Where a build works. */
export interface BuildFolders {
  /** The code, which gets its dependencies. */
  readonly folder: string;
  /** What packages' scripts see as HOME. */
  readonly home: string;
}

/** The command that installs what the code asks for, or `undefined` when it asks for nothing. */
export function installCommand(
  runtime: Runtime,
  { folder, home }: BuildFolders,
  machine: Environment,
): Command | undefined {
  const step = installStep(runtime, rootFiles(folder));
  if (step === undefined) return undefined;
  const path = searchPath(machine.PATH);
  const env = { ...pick(machine, PASSED_ON), ...buildHome(home, machine), PATH: path };
  return { argv: resolveProgram(step.local, path), cwd: folder, env };
}

/** A folder that `extractContext` has written: regular files and folders. */
function rootFiles(folder: string): RootFiles {
  const find = (name: string) => statSync(join(folder, name), { throwIfNoEntry: false });
  return {
    has: (name) => find(name)?.isFile() === true,
    read: (name) => {
      const size = find(name)?.size ?? Number.POSITIVE_INFINITY;
      return size > MAX_ASKING_BYTES ? undefined : readFileSync(join(folder, name), 'utf8');
    },
  };
}
