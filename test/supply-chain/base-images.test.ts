import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { imageOrders } from '../../images/build-with-crane.ts';
import { parseDockerfile } from '../../images/crane/dockerfile.ts';
import { shorterVersions } from '../../images/crane/registry.ts';
import { BUILD_SETTINGS } from '../../src/config/build-settings.ts';

/** A whole version, or the bytes themselves. */
const PINNED = /(?::v?\d+\.\d+\.\d+(?:-[a-z0-9.]+)?|@sha256:[0-9a-f]{64})$/;

const bases = imageOrders().flatMap(({ dockerfile, image }) => {
  const stages = parseDockerfile(readFileSync(dockerfile, 'utf8'));
  return stages.map(({ from }) => [image, from] as const);
});

test.each(bases)('%s stands on an image of a whole version: %s', (_, from) => {
  expect(from).toMatch(PINNED);
});

test('the image that cron triggers call with has a whole version', () => {
  expect(BUILD_SETTINGS.curlImage.default).toMatch(PINNED);
});

test('sless runs on the version of Node that its tests ran on', () => {
  const lock = JSON.parse(readFileSync(resolve(import.meta.dirname, '../../package-lock.json'), 'utf8'));
  const { version } = lock.packages['node_modules/node'];
  expect(bases.filter(([image]) => image.startsWith('sless:')).map(([, from]) => from)).toContain(
    `node:${version}-alpine`,
  );
});

test('a registry that was filled by hand may know a base by less of its version', () => {
  expect(shorterVersions('node:24.1.0-alpine')).toEqual([
    'node:24.1.0-alpine',
    'node:24.1-alpine',
    'node:24-alpine',
  ]);
  expect(shorterVersions('host:5000/a/b:v1.2.3')).toEqual(['host:5000/a/b:v1.2.3']);
  expect(shorterVersions('node')).toEqual(['node']);
});
