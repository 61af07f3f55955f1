import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Environment } from '../environment.ts';

/** Where pip looks for the user's settings, below HOME. */
const PIP_CONFIGS = [
  '.config/pip/pip.conf',
  'Library/Application Support/pip/pip.conf',
  '.pip/pip.conf',
] as const;

/**
 * A HOME of the build's own: scripts of packages shall not write into the user's. npm, pip and git are told where the user's settings and logins
 * lie all the same, and the caches, which make a second build fast. What a variable of the user says, or a file of settings, stays as it is.
 *
 * @param folder what is to be the HOME
 */
export function buildHome(folder: string, machine: Environment): Record<string, string> {
  const { HOME: home = '' } = machine;
  if (home === '') return { HOME: folder };
  const npmrc = join(home, '.npmrc');
  const pipConfig = PIP_CONFIGS.map((name) => join(home, name)).find((path) => existsSync(path));
  const told: Record<string, string | undefined> = {
    npm_config_userconfig: npmrc,
    npm_config_cache: says(machine.npm_config_userconfig ?? npmrc, 'cache') ? undefined : join(home, '.npm'),
    PIP_CONFIG_FILE: pipConfig,
    PIP_CACHE_DIR: says(machine.PIP_CONFIG_FILE ?? pipConfig, 'cache-dir')
      ? undefined
      : join(home, '.cache/pip'),
    NETRC: join(home, '.netrc'),
    GIT_CONFIG_GLOBAL: existsSync(join(home, '.gitconfig')) ? join(home, '.gitconfig') : undefined,
  };
  const set = new Set(Object.keys(machine).map((name) => name.toLowerCase()));
  const added = Object.entries(told).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && !set.has(entry[0].toLowerCase()),
  );
  return { ...Object.fromEntries(added), HOME: folder };
}

/** Whether a file of settings has a line for that. */
function says(path: string | undefined, name: string): boolean {
  if (path === undefined || !existsSync(path)) return false;
  return new RegExp(`^\\s*${name}\\s*=`, 'm').test(readFileSync(path, 'utf8'));
}
