import { spawnSync } from 'node:child_process';
import { cpSync, readdirSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

/** Makes `dist/`, the JavaScript that the published package carries, with all that lies beside the sources. */
const root = resolve(import.meta.dirname, '../..');
const [src, dist] = [join(root, 'src'), join(root, 'dist')];

rmSync(dist, { recursive: true, force: true });
const { status } = spawnSync('tsc', ['-p', join(root, 'tsconfig.pack.json')], {
  stdio: 'inherit',
  cwd: root,
});
if (status !== 0) process.exit(1);
for (const name of readdirSync(src, { recursive: true, encoding: 'utf8' }))
  if (/\.\w+$/.test(name) && !name.endsWith('.ts') && !name.includes('golden'))
    cpSync(join(src, name), join(dist, name), { recursive: dirname(name) !== '.' });
