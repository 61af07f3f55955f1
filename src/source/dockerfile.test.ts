import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { loadRuntimes } from '../runtimes/catalogue.ts';
import type { RootFiles } from '../runtimes/install-step.ts';
import { planBuild, RUNTIME_USER } from './dockerfile.ts';

const root = (files: Readonly<Record<string, string>>): RootFiles => ({
  has: (name) => Object.hasOwn(files, name),
  read: (name) => files[name],
});
/** Files whose texts say nothing that is understood: such ask. */
const present = (...names: string[]) => root(Object.fromEntries(names.map((name) => [name, '?'])));

const runtimes = [...loadRuntimes(fileURLToPath(new URL('../../runtimes', import.meta.url))).values()];

describe.each(runtimes)('$name', (runtime) => {
  const image = readFileSync(join(runtime.folder, 'Dockerfile'), 'utf8');

  test('its image runs as the user that the code is given to', () => {
    expect([...image.matchAll(/^USER (.*)$/gm)].at(-1)?.[1]).toBe(RUNTIME_USER);
    expect(planBuild(present(), runtime).dockerfile).toMatch(
      /^COPY --chown=65532:65532 function\/ \/app\/function\/$/m,
    );
  });

  test('what installs write to belongs to that user in its image', () => {
    expect(image).toMatch(/chown (-R )?65532:65532 .*\/app\/function$/m);
  });

  test.each(runtime.install)(
    '$files choose their step, which never changes over to root',
    ({ files, docker }) => {
      const { strategy, dockerfile } = planBuild(present('handler', ...files), runtime);
      expect(strategy).toBe('dockerfile');
      expect(dockerfile).toContain(`\nRUN ${docker}\n`);
      expect(dockerfile).not.toMatch(/^USER /m);
    },
  );

  test.each(runtime.install)(
    'the step of $files leaves no cache of its package manager in the layer',
    ({ docker }) => {
      expect(docker).toMatch(docker.startsWith('npm') ? / && rm -rf \/tmp\/\.npm$/ : / --no-cache-dir /);
      if (docker.startsWith('npm')) expect(image).toMatch(/^\s*(ENV )?HOME=\/tmp\b/m);
    },
  );

  test('runs only the first step that is called for', () => {
    const { dockerfile } = planBuild(
      present(...runtime.install.flatMap(({ files }) => files).reverse()),
      runtime,
    );
    expect(dockerfile.match(/^RUN .*$/gm)).toEqual([`RUN ${runtime.install[0]?.docker}`]);
  });

  test('without a manifest in its root only appends, by a Dockerfile that runs nothing', () => {
    const { strategy, dockerfile } = planBuild(present('lib/package.json', 'lib/requirements.txt'), runtime);
    expect(strategy).toBe('append');
    expect(dockerfile).not.toMatch(/^(RUN|USER) /m);
  });
});

const [node, python] = ['nodejs20', 'python3.11'].map((name) => runtimes.find((one) => one.name === name));

describe('a manifest', () => {
  test.each<[string, string]>([
    ['only says what modules are', '{"type": "module"}'],
    ['has empty lists', '{"dependencies": {}, "optionalDependencies": {}, "workspaces": []}'],
    ['has what only developers need', '{"devDependencies": {"vitest": "1"}, "scripts": {"test": "vitest"}}'],
    ['begins with a byte order mark', '\ufeff{}'],
  ])('of npm that %s asks for nothing, with a lock or without', (_, text) => {
    expect(planBuild(root({ 'package.json': text }), node!).strategy).toBe('append');
    const locked = root({ 'package.json': text, 'package-lock.json': '{}' });
    expect(planBuild(locked, node!).strategy).toBe('append');
  });

  test.each<[string, string]>([
    ['has a dependency', '{"dependencies": {"left-pad": "1"}}'],
    ['has one that may fail', '{"optionalDependencies": {"fsevents": "1"}}'],
    ['wants something beside it', '{"peerDependencies": {"hono": "4"}}'],
    ['has a script for the installation', '{"scripts": {"postinstall": "node make.js"}}'],
    ['is no JSON', '{'],
    ['is no object', 'null'],
  ])('of npm that %s asks', (_, text) => {
    expect(planBuild(root({ 'package.json': text }), node!).dockerfile).toContain('RUN npm install');
  });

  test('of npm that is too large to be looked at asks', () => {
    const large = { has: (name: string) => name === 'package.json', read: () => undefined };
    expect(planBuild(large, node!).strategy).toBe('dockerfile');
  });

  test('is a lock only beside what it locks', () => {
    expect(planBuild(root({ 'package-lock.json': '{"packages": {}}' }), node!).strategy).toBe('append');
    const both = root({ 'package.json': '{"dependencies": {"a": "1"}}', 'package-lock.json': '{}' });
    expect(planBuild(both, node!).dockerfile).toContain('RUN npm ci');
  });

  test.each(['', '\n\n', '# nothing yet\n', '  # nothing\r\n\t\n'])(
    'of pip with %j asks for nothing',
    (text) => {
      expect(planBuild(root({ 'requirements.txt': text }), python!).strategy).toBe('append');
    },
  );

  test.each(['flask', '# web\nflask # yes\n', '-r more.txt', '  ./own.whl'])(
    'of pip with %j asks',
    (text) => {
      expect(planBuild(root({ 'requirements.txt': text }), python!).dockerfile).toContain('RUN pip install');
    },
  );
});
