import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { cleanUp, newFolder, type Sless, startSless, uploadForm } from './sless.ts';

// A project whose modules are ES modules, as sless itself is one: what it says must not reach functions.
let sless: Sless;
let base: string;
beforeAll(async () => {
  const project = await newFolder();
  await writeFile(join(project, 'package.json'), '{"type": "module"}');
  await mkdir(join(project, '.sless'));
  sless = await startSless(join(project, '.sless'));
  base = `/v1/namespaces/${sless.namespace}`;
  await sless.api('POST', `${base}/ensure`);
});
afterAll(cleanUp);

const COMMON = 'const { basename } = require("node:path"); exports.handle = () => basename("/a/common");';
const MODULE = 'import { basename } from "node:path"; export const handle = () => basename("/a/module");';

test.each<[string, Record<string, string>, string]>([
  ['CommonJS in .js', { 'handler.js': COMMON }, 'common'],
  ['CommonJS in .cjs', { 'handler.cjs': COMMON }, 'common'],
  [
    'CommonJS that requires more of it',
    { 'handler.js': 'exports.handle = require("./lib/a").handle;', 'lib/a.js': COMMON },
    'common',
  ],
  [
    'an ES module that imports CommonJS',
    { 'handler.mjs': 'import a from "./a.js"; export const handle = a.handle;', 'a.js': COMMON },
    'common',
  ],
  ['an ES module in .js', { 'handler.js': MODULE }, 'module'],
  ['an ES module that says so', { 'handler.js': MODULE, 'package.json': '{"type": "module"}' }, 'module'],
])('%s runs', async (title, files, says) => {
  const name = title
    .toLowerCase()
    .replace(/[^a-z]+/g, '-')
    .replace(/^-|-$/g, '');
  await sless.api('POST', `${base}/functions`, { name, runtime: 'nodejs20' });
  await sless.api('POST', `${base}/triggers`, { name, type: 'http', function: name });
  const uploaded = await sless.api('POST', `${base}/functions/${name}/upload`, uploadForm(files));
  expect(uploaded).toMatchObject({ status: 200 });
  await vi.waitFor(
    async () => {
      const { json } = await sless.api('GET', `${base}/functions/${name}`);
      expect(json).toMatchObject({ phase: 'Ready' });
      const response = await fetch(`${sless.endpoint}/fn/${sless.namespace}/${name}`);
      expect(await response.text()).toBe(JSON.stringify(says));
    },
    { timeout: 20_000, interval: 20 },
  );
});
