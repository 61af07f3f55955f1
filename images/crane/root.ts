import { cpSync, lstatSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { run } from './command.ts';
import type { Step } from './dockerfile.ts';
import type { Ignore } from './ignore.ts';

/** Where the files of COPY come from. */
export interface Sources {
  readonly context: string;
  readonly ignore: Ignore;
  /** The roots of earlier stages, by name. */
  readonly stages: ReadonlyMap<string, string>;
}

/** Carries out one step of a Dockerfile in the root of an image. */
export async function carryOut(step: Step, root: string, sources: Sources): Promise<void> {
  mkdirSync(join(root, step.folder), { recursive: true });
  if (step.type === 'copy') copy(step, root, sources);
  else await runStep(step, root);
}

function copy(
  { from, sources: paths, target, folder }: Step & { type: 'copy' },
  root: string,
  sources: Sources,
): void {
  const origin = from === undefined ? sources.context : sources.stages.get(from);
  if (origin === undefined) throw new Error(`COPY --from=${from}: there is no such stage`);
  const to = join(root, resolve('/', folder, target));
  for (const path of paths) {
    const source = join(origin, path);
    // As Docker does: a folder gives its content, a file lies in a target that ends with a slash.
    const isFolder = statSync(source).isDirectory();
    const place = isFolder || !/(^|\/)\.?$/.test(target) ? to : join(to, basename(source));
    mkdirSync(isFolder ? place : dirname(place), { recursive: true });
    const filter = (file: string) =>
      from !== undefined || file === source || !sources.ignore(relative(origin, file));
    cpSync(source, place, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true, filter });
  }
}

/**
 * `npm ci` runs on this machine, in the image's folder: it needs the network and this machine's settings for it, and
 * without scripts it only unpacks. Everything else runs in the image's own root.
 */
async function runStep({ command, folder }: Step & { type: 'run' }, root: string): Promise<void> {
  if (NPM_CI.test(command)) {
    await run(['bash', '-ec', command], { cwd: join(root, folder) });
    return;
  }
  const script = [
    'set -e',
    'mount --bind /dev "$1/dev"',
    'mount -t proc proc "$1/proc"',
    'exec chroot "$1" /bin/sh -ec "cd \\"$2\\"; $3"',
  ].join('\n');
  for (const mount of ['dev', 'proc']) mkdirSync(join(root, mount), { recursive: true });
  const words = ['unshare', '--mount', '--pid', '--fork', 'bash', '-c', script, 'run', root, folder, command];
  await run(words, { env: { PATH: PATH_IN_IMAGE, HOME: '/root' } });
}

const NPM_CI = /^npm ci .*--ignore-scripts/;

/** Whether a step looks into the base image: the others only add files. */
export function needsBase(step: Step): boolean {
  return step.type === 'run' && !NPM_CI.test(step.command);
}

const PATH_IN_IMAGE = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** What is needed to see later that a file was touched: any write changes its time of change. */
export type Inventory = ReadonlyMap<string, string>;

export function takeInventory(root: string): Inventory {
  const found = new Map<string, string>();
  const visit = (path: string): void => {
    for (const name of readdirSync(join(root, path))) {
      const child = path === '' ? name : `${path}/${name}`;
      const stat = lstatSync(join(root, child), { bigint: true });
      found.set(child, `${stat.ino}:${stat.ctimeNs}`);
      if (stat.isDirectory()) visit(child);
    }
  };
  visit('');
  return found;
}

/** Everything of a root that was made or changed since, as a tar file: one layer. Nothing may have been deleted. */
export async function packChanges(root: string, before: Inventory, tar: string): Promise<void> {
  const after = takeInventory(root);
  const deleted = [...before.keys()].filter((path) => !after.has(path));
  if (deleted.length > 0) throw new Error(`a layer here cannot delete files of its base: ${deleted[0]}`);
  const changed = [...after].filter(([path, mark]) => before.get(path) !== mark).map(([path]) => path);
  const list = `${tar}.list`;
  writeFileSync(list, changed.sort().join('\0'));
  const files = ['--numeric-owner', '--no-recursion', '--null', '-C', root, '-T', list];
  await run(['tar', '-c', '-f', tar, ...files]);
}
