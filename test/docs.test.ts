import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
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
