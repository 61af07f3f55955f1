import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { loadRuntimes, type Runtime } from '../runtimes/catalogue.ts';
import { runnableRuntimes, runtimeLines } from './runnable.ts';

const lisp: Runtime = {
  name: 'lisp1.5',
  title: 'Lisp 1.5',
  version: 'v1.0.0',
  image: 'sless-runtime-lisp1.5',
  entrypoint: 'handler.handle',
  moduleSuffixes: ['.lisp'],
  install: [{ files: ['system.asd'], docker: 'install', local: ['{program}', '--install'] }],
  local: {
    programs: ['lisp1.5', 'lisp'],
    command: ['{program}', 'server.lisp'],
    probe: ['{program}', '--version'],
    missing: 'no lisp',
    env: {},
  },
  folder: '/runtimes/lisp1.5',
};

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sless-programs-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

function program(name: string, script: string): string {
  const path = join(folder, name);
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
  return path;
}

const find = async (runtime = lisp) => {
  const { runtimes, missing } = await runnableRuntimes(new Map([[runtime.name, runtime]]), {
    PATH: `${folder}:/usr/bin:/bin`,
  });
  return { found: runtimes.get(runtime.name), missing };
};

test('a runtime runs and installs with the first of its programs whose probe succeeds', async () => {
  program('lisp1.5', 'exit 127');
  const lispPath = program('lisp', 'echo 1.6');
  const { found } = await find();
  expect(found?.local.command).toEqual([lispPath, 'server.lisp']);
  expect(found?.install[0]?.local).toEqual([lispPath, '--install']);
});

test('the earlier program is preferred, and the later one is not even asked', async () => {
  const own = program('lisp1.5', 'echo 1.5');
  program('lisp', `touch ${join(folder, 'asked')}`);
  expect((await find()).found?.local.command[0]).toBe(own);
  expect(() => mkdirSync(join(folder, 'asked'))).not.toThrow();
});

test('behind a shim that says so lies the real program', async () => {
  program('lisp1.5', 'echo /opt/lisp/bin/lisp');
  expect((await find()).found?.local.command[0]).toBe('/opt/lisp/bin/lisp');
});

test('a runtime none of whose programs can run it is missing', async () => {
  program('lisp', 'exit 1');
  const { found, missing } = await find();
  expect(found).toBeUndefined();
  expect(missing).toEqual([lisp]);
});

test.each([
  ['python3.11', undefined, true],
  ['python3', '3.11', true],
  ['python3', '3.13', true],
  ['python3', '3.9', false],
  ['python', '3.12', false],
])('Python functions run with %s of version %s: %s', async (name, version = '3.11', runs) => {
  // As an interpreter of that version answers the probe.
  const [major, minor] = version.split('.');
  const asked = `case "$*" in *'sys.version_info < (3, 11)'*) ;; *) exit 9;; esac`;
  program(name, `${asked}\n[ ${major} -eq 3 ] && [ ${minor} -ge 11 ]`);
  const python = loadRuntimes(resolve(import.meta.dirname, '../../runtimes')).get('python3.11')!;
  const { runtimes } = await runnableRuntimes(new Map([[python.name, python]]), { PATH: folder });
  expect(runtimes.get('python3.11')?.local.command[0]).toBe(runs ? join(folder, name) : undefined);
});

test('a start tells which runtimes are missing, and which run otherwise than on a cluster', () => {
  const noted = { ...lisp, local: { ...lisp.local, note: 'runs on Node {nodeVersion} here' } };
  const runtimes = new Map([
    ['noted', noted],
    ['lisp1.5', lisp],
  ]);
  expect(runtimeLines({ runtimes, missing: [{ ...lisp, name: 'lisp2' }] })).toEqual([
    'lisp2 is left out: no lisp',
    `lisp1.5 runs on Node ${process.versions.node} here`,
  ]);
});
