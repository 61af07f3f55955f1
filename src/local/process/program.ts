import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, dirname, isAbsolute, join } from 'node:path';

/** Where programs are looked for: the Node that runs sless first, since npm's own script asks for a `node`. */
export function searchPath(path: string | undefined): string {
  return [dirname(process.execPath), path ?? '/usr/local/bin:/usr/bin:/bin'].join(delimiter);
}

/**
 * An argument vector with its program as an absolute path. `{node}` stands for the Node that runs sless.
 * A program that is not found stays as it is; running it fails and says so.
 */
export function resolveProgram(argv: readonly string[], path: string): readonly string[] {
  const [name = '', ...rest] = argv.map((word) => word.replaceAll('{node}', process.execPath));
  if (name.includes('/')) return [name, ...rest];
  const found = path
    .split(delimiter)
    .filter(isAbsolute)
    .map((folder) => join(folder, name))
    .find(isExecutableFile);
  return [found ?? name, ...rest];
}

function isExecutableFile(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
