import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** The folder of the installed sless: `runtimes/`, `package.json` and so on. */
export const HOME = resolve(import.meta.dirname, '../..');

/** All interfaces: in a pod there is but one, and its address is not known before. */
export const ALL = '0.0.0.0';

/** The version of sless itself, without a `v`. */
export function installedVersion(): string {
  return (JSON.parse(readFileSync(join(HOME, 'package.json'), 'utf8')) as { version: string }).version;
}
