import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { isAllowed, type LockedPackage, unknownLicences } from './licences.ts';

const HOME = resolve(import.meta.dirname, '../..');
const read = (file: string) => JSON.parse(readFileSync(resolve(HOME, file), 'utf8'));
const packages: Readonly<Record<string, LockedPackage>> = read('package-lock.json').packages;

test('every package that is handed on has a licence that is on the list', () => {
  expect(unknownLicences(packages)).toEqual([]);
});

test.each([
  ['MIT', true],
  ['(MIT OR GPL-3.0-only)', true],
  ['MIT AND (GPL-2.0-only OR ISC)', true],
  ['MIT AND GPL-2.0-only', false],
  ['GPL-3.0-only', false],
  ['SEE LICENSE IN LICENSE.md', false],
  ['(MIT', false],
  ['MIT)', false],
  ['', false],
])('a licence %j is allowed: %s', (licence, allowed) => {
  expect(isAllowed(licence)).toBe(allowed);
});

test('a package without a licence, and one under another, are named', () => {
  const found = unknownLicences({
    '': {},
    'node_modules/a': { version: '1.0.0' },
    'node_modules/a/node_modules/@x/b': { version: '2.0.0', license: 'AGPL-3.0-only' },
    'node_modules/c': { version: '3.0.0', license: 'AGPL-3.0-only', dev: true },
  });
  expect(found).toEqual(['a@1.0.0: none', '@x/b@2.0.0: AGPL-3.0-only']);
});

test('every package is locked by a hash, and runs no script of its own but node, which brings the program', () => {
  const locked = Object.entries(packages).filter(([path]) => path !== '');
  expect(locked.filter(([, { integrity }]) => integrity === undefined)).toEqual([]);
  expect(locked.filter(([, { hasInstallScript }]) => hasInstallScript).map(([path]) => path)).toEqual([
    'node_modules/@scarf/scarf',
    'node_modules/node',
  ]);
  // The other one would tell its maker of each installation, and is denied.
  expect(read('package.json').allowScripts).toEqual({ '@scarf/scarf': false, node: true });
});

test('`npm run sbom` lists what an installation holds, with licences and hashes, as CycloneDX or SPDX', () => {
  const npm = (...words: string[]) =>
    JSON.parse(execFileSync('npm', ['run', '-s', 'sbom', ...words], { cwd: HOME, encoding: 'utf8' }));
  const wanted = Object.entries(packages).filter(([path, { dev }]) => path !== '' && dev !== true);
  const { bomFormat, components } = npm();
  expect(bomFormat).toBe('CycloneDX');
  // The same version in several folders is one component.
  const names = new Set(
    wanted.map(([path, { version }]) => `${path.replace(/^.*node_modules\//, '')}@${version}`),
  );
  expect(new Set(components.map((one: { 'bom-ref': string }) => one['bom-ref']))).toEqual(names);
  for (const { name, licenses, hashes } of components) {
    expect(licenses, name).not.toEqual([]);
    expect(hashes, name).toHaveLength(1);
  }
  expect(npm('--', '--sbom-format=spdx').spdxVersion).toMatch(/^SPDX-/);
}, 60_000);
