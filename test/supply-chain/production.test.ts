import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseDockerfile } from '../../images/crane/dockerfile.ts';
import { parseIgnore } from '../../images/crane/ignore.ts';
import { endRoles, startRole } from '../roles/role.ts';
import { openSurroundings, type Surroundings } from '../roles/surroundings.ts';

/** What the image of sless holds, in a folder, installed by the very words of its Dockerfile. */
const HOME = resolve(import.meta.dirname, '../..');
const folder = mkdtempSync(join(tmpdir(), 'sless-production-'));
const program = join(folder, 'src/bin/sless.ts');
let around: Surroundings;

beforeAll(async () => {
  const read = (name: string) => readFileSync(join(HOME, 'images/sless', name), 'utf8');
  const ignored = parseIgnore(read('Dockerfile.dockerignore'));
  const steps = parseDockerfile(read('Dockerfile')).flatMap((stage) => stage.steps);
  const copied = steps.flatMap((step) =>
    step.type === 'copy' && step.from === undefined ? step.sources : [],
  );
  for (const source of copied)
    cpSync(join(HOME, source), join(folder, source), {
      recursive: true,
      filter: (path) => !ignored(relative(HOME, path)),
    });
  const [install = ''] = steps.flatMap((step) => (step.type === 'run' ? [step.command] : []));
  expect(install).toMatch(/^npm ci --omit=dev --ignore-scripts\s/);
  // What the installation of the project has brought is enough: nothing is asked of a registry again.
  const env = { ...process.env, npm_config_prefer_offline: 'true', npm_config_audit: 'false' };
  execFileSync('sh', ['-c', install], { cwd: folder, env, stdio: 'pipe' });
  around = await openSurroundings();
}, 240_000);
afterAll(async () => {
  await endRoles();
  await around?.close();
  rmSync(folder, { recursive: true, force: true });
});

test('`npm ci --ignore-scripts --omit=dev` brings no tool of development, and no program that a script would have made', () => {
  for (const name of ['typescript', 'vitest', 'fast-check', 'node'])
    expect(existsSync(join(folder, 'node_modules', name)), name).toBe(false);
  expect(existsSync(join(folder, 'node_modules/hono/package.json'))).toBe(true);
});

test('every package that the program imports is one that it is installed with', () => {
  const { dependencies } = JSON.parse(readFileSync(join(HOME, 'package.json'), 'utf8'));
  const files = execFileSync('git', ['ls-files', 'src/*.ts'], { cwd: HOME, encoding: 'utf8' })
    .split('\n')
    .filter((file) => existsSync(join(folder, file)) && file !== '' && !file.startsWith('src/codegen/'));
  expect(files.length).toBeGreaterThan(300);
  const imported = files.flatMap((file) =>
    [
      ...readFileSync(join(folder, file), 'utf8').matchAll(
        /^(?:import|export) (?!type )[^;]*?from '([^'.][^']*)'/gm,
      ),
    ].map(([, name = '']) => name.match(/^(?:@[^/]+\/)?[^/]+/)?.[0] ?? name),
  );
  const packages = new Set(
    imported.filter((name) => !name.startsWith('node:') && !builtinModules.includes(name)),
  );
  expect([...packages].filter((name) => dependencies[name] === undefined)).toEqual([]);
});

test('`sless --help` runs there', () => {
  const help = execFileSync(process.execPath, [program, '--help'], { cwd: folder, encoding: 'utf8' });
  expect(help).toContain('Zip in, URL out');
});

test.each(['operator', 'api', 'proxy', 'dispatcher'])('`sless %s` starts there', async (role) => {
  const env = {
    ...around.env,
    REGISTRY_HOST: 'registry.example.com',
    ...(role === 'dispatcher' ? { RABBITMQ_URL: 'amqp://127.0.0.1:1' } : {}),
  };
  const { log } = await startRole([role], env, program);
  expect(log()).not.toMatch(/ERR_MODULE_NOT_FOUND|"level":"fatal"/);
});
