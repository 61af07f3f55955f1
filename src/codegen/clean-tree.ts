import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

// The first and the last step of `npm run verify`. What is generated or formatted on the way must have been there at the
// beginning, so that what was verified is what will be committed. Without an argument: nothing may differ from the commit.

const git = (args: readonly string[], env: NodeJS.ProcessEnv = {}): string =>
  execFileSync('git', args, { encoding: 'utf8', env: { ...process.env, ...env } }).trimEnd();

/** The working tree as a tree of git's, with what is not added yet and without what is ignored. */
function treeNow(): string {
  const folder = mkdtempSync(join(tmpdir(), 'sless-tree-'));
  const env = { GIT_INDEX_FILE: join(folder, 'index') }; // the user's own index stays as it is
  try {
    git(['read-tree', 'HEAD'], env);
    git(['add', '--all', ':/'], env);
    return git(['write-tree'], env);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function begin(note: string): void {
  writeFileSync(note, treeNow());
}

function end(note: string): void {
  if (!existsSync(note)) throw new Error('verify has not begun: npm run verify does both');
  const changed = git(['diff', '--name-only', readFileSync(note, 'utf8'), treeNow()]);
  rmSync(note);
  if (changed !== '')
    refuse(`generate or format has changed these; look at them and verify again:\n${changed}`);
}

function uncommitted(): void {
  const changed = git(['status', '--porcelain']);
  if (changed !== '') refuse(`the tree differs from the commit:\n${changed}`);
}

function refuse(message: string): void {
  console.error(message);
  process.exitCode = 1;
}

const [, , step] = process.argv;
const note = git(['rev-parse', '--git-path', 'sless-verify']);
if (step === 'begin') begin(note);
else if (step === 'end') end(note);
else uncommitted();
