import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

/**
 * Writes to stdout what an installation holds, as npm says it: CycloneDX, or what `--sbom-format` names. npm is shown the
 * lock file without what is for development alone: its own `--omit=dev` leaves out all that something for development
 * needs too, such as yaml and ws.
 */
function main(words: readonly string[]): void {
  const home = resolve(import.meta.dirname, '../..');
  const temporary = mkdtempSync(join(tmpdir(), 'sless-sbom-'));
  // npm takes the name of the folder for that of the program.
  const folder = join(temporary, 'sless');
  try {
    mkdirSync(folder);
    const { devDependencies: _, ...manifest } = read(join(home, 'package.json'));
    const lock = read(join(home, 'package-lock.json'));
    writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
    writeFileSync(
      join(folder, 'package-lock.json'),
      JSON.stringify({ ...lock, packages: installed(lock.packages as Packages) }),
    );
    const args = ['sbom', '--package-lock-only', '--sbom-format=cyclonedx', ...words];
    execFileSync('npm', args, { cwd: folder, stdio: 'inherit' });
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

type Packages = Readonly<Record<string, { readonly dev?: boolean; readonly devDependencies?: object }>>;

function installed(packages: Packages): Packages {
  return Object.fromEntries(
    Object.entries(packages)
      .filter(([, { dev }]) => dev !== true)
      .map(([path, { devDependencies: _, ...rest }]) => [path, rest]),
  );
}

function read(file: string): Record<string, unknown> {
  return JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>;
}

main(process.argv.slice(2));
