import { readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { ROLES, type Role, type Setting } from './setting.ts';
import { SETTINGS } from './settings.ts';

const SRC = resolve(import.meta.dirname, '..');

/** Where a role begins, when that is not a file of its name; two that share one share what is read there. The programs of other roles that it imports have a configuration of their own. */
const ENTRY: Readonly<Partial<Record<Role, string>>> = { base: 'bin/registry.ts', push: 'bin/registry.ts' };
const entryOf = (role: Role): string => ENTRY[role] ?? `bin/${role}.ts`;
const ENTRIES = new Set(ROLES.map(entryOf));

/** The files of `bin` that a role is made of, with comments taken out. */
function filesOf(role: Role): Map<string, string> {
  const found = new Map<string, string>();
  const open = [entryOf(role)];
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    if (found.has(file)) continue;
    const text = readFileSync(join(SRC, file), 'utf8').replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '');
    found.set(file, text);
    for (const [, to = ''] of text.matchAll(/from '(\.[^']+)'/g)) {
      const target = join(dirname(file), to);
      if (target.startsWith('bin/') && !ENTRIES.has(target)) open.push(target);
    }
  }
  return found;
}

/** Members of a Config: `config.port`, `const { port } = config`, `({ port }: Config)`. */
function isRead(key: string, text: string): boolean {
  const word = `\\b${key}\\b`;
  return [
    `\\bconfig\\??\\.${key}\\b`,
    `\\{[^{}]*${word}[^{}]*\\} = config\\b`,
    `\\{[^{}]*${word}[^{}]*\\}: (Pick<)?Config\\b`,
  ].some((pattern) => new RegExp(pattern).test(text));
}

const entries = Object.entries<Setting<unknown>>(SETTINGS);

/** Local mode hands its whole configuration on, so there it is looked at by name alone. */
const EXACT = ROLES.filter((role) => role !== 'local');

test.each(EXACT)('%s reads every setting that is said to be for it, and no other', (role) => {
  const text = [...filesOf(role).values()].join('\n');
  const read = entries.filter(([key]) => isRead(key, text)).map(([, { name }]) => name);
  const sharing = EXACT.filter((other) => entryOf(other) === entryOf(role));
  const isListed = (roles: readonly Role[]): boolean => sharing.some((each) => roles.includes(each));
  const listed = entries.filter(([, { roles }]) => isListed(roles)).map(([, { name }]) => name);
  expect(read.sort()).toEqual(listed.sort());
});

test('only who reads a setting can be unable to start without it', () => {
  const wrong = entries.filter(([, { roles, required = [] }]) =>
    required.some((role) => !roles.includes(role)),
  );
  expect(wrong.map(([, { name }]) => name)).toEqual([]);
});
