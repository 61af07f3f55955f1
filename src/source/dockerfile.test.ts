import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { loadRuntimes } from '../runtimes/catalogue.ts';
import { planBuild, RUNTIME_USER } from './dockerfile.ts';

const runtimes = [...loadRuntimes(fileURLToPath(new URL('../../runtimes', import.meta.url))).values()];

describe.each(runtimes)('$name', (runtime) => {
  test('installs as root, and its image runs as the user that is changed back to', () => {
    const image = readFileSync(join(runtime.folder, 'Dockerfile'), 'utf8');
    expect([...image.matchAll(/^USER (.*)$/gm)].at(-1)?.[1]).toBe(RUNTIME_USER);
  });

  test.each(runtime.install)('$file chooses its step', ({ file, docker }) => {
    const { strategy, dockerfile } = planBuild(['handler', file], runtime);
    expect(strategy).toBe('dockerfile');
    expect(dockerfile).toContain(`\nUSER root\nRUN ${docker}\nUSER ${RUNTIME_USER}\n`);
  });

  test('runs only the first step that is called for', () => {
    const { dockerfile } = planBuild(runtime.install.map(({ file }) => file).reverse(), runtime);
    expect(dockerfile.match(/^RUN .*$/gm)).toEqual([`RUN ${runtime.install[0]?.docker}`]);
  });

  test('without a manifest in its root only appends, by a Dockerfile that runs nothing', () => {
    const { strategy, dockerfile } = planBuild(['lib/package.json', 'lib/requirements.txt'], runtime);
    expect(strategy).toBe('append');
    expect(dockerfile).not.toMatch(/^(RUN|USER) /m);
  });
});
