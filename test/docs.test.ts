import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { mirroredPath } from '../images/crane/registry.ts';
import { readControllerScopes } from '../src/preflight/controllers.ts';

// What pages say of the rest of the repository, where that can be looked up.

const ROOT = resolve(import.meta.dirname, '..');
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const filesIn = (folder: string) => readdirSync(join(ROOT, folder)).map((name) => read(`${folder}/${name}`));

test('where a controller is absent, every one that must be there is named', () => {
  const page = read('docs/troubleshooting.md');
  const [paragraph = ''] = /^- `kubectl get compositecontrollers[\s\S]*?(?=^- )/m.exec(page) ?? [];
  const named = paragraph.match(/(?<=`)sless-[a-z-]+(?=`)/g);
  expect(named?.sort()).toEqual(
    readControllerScopes(filesIn('metacontroller'))
      .map(({ name }) => name)
      .sort(),
  );
});

const dockerfiles = ['images/sless', ...readdirSync(join(ROOT, 'runtimes')).map((name) => `runtimes/${name}`)]
  .map((folder) => `${folder}/Dockerfile`)
  .filter((file) => existsSync(join(ROOT, file)));

test('who builds without Docker is told where each base image is looked for', () => {
  const bases = dockerfiles.flatMap((file) => [...read(file).matchAll(/^ARG \w+_IMAGE=(\S+)$/gm)]);
  expect(bases.length).toBeGreaterThanOrEqual(4);
  const page = read('docs/install.md');
  for (const [, image = ''] of bases) expect(page).toContain(`\`$registry/${mirroredPath(image)}\``);
});

const values = parse(read('charts/sless/values.yaml'));

test('a lost registry is filled again with whatever image the chart may have there', () => {
  const page = read('docs/lost-registry.md');
  for (const name of Object.keys(values.images)) expect(page).toContain(`\`images.${name}\``);
  for (const words of ['that of sless', 'those of the runtimes']) expect(page).toContain(words);
});

test('the limits that the page on sizes names are those of the chart', () => {
  const limits = ['operator', 'api', 'proxy'].map(
    (role) => `${role} ${values[role].resources.limits.memory}`,
  );
  expect(read('docs/sizing.md')).toContain(`(${limits.join(', ')})`);
});

test('the record of what is tried again names the exit codes that end a build, step by step', () => {
  const golden = JSON.parse(read('src/resources/function/golden/job-isolated-private.golden.json'));
  const record = read('docs/adr/0003-bounded-retries.md');
  const final = golden.spec.podFailurePolicy.rules.filter(
    ({ action }: { action: string }) => action === 'FailJob',
  );
  expect(final.length).toBeGreaterThanOrEqual(4);
  for (const { onExitCodes } of final) {
    const { containerName, operator, values: codes } = onExitCodes;
    const row = record
      .split('\n')
      .find((line) => line.includes(`\`${containerName}\``) && line.includes('`FailJob`'));
    expect(row, containerName).toContain(
      operator === 'NotIn' ? 'whatever its exit code' : `exit ${codes.join(', ')}`,
    );
  }
});
