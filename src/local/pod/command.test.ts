import { dirname, resolve } from 'node:path';
import { expect, test } from 'vitest';
import type { Runtime } from '../../runtimes/catalogue.ts';
import { runtimeOf, serverCommand } from './command.ts';

const runtime: Runtime = {
  name: 'plain',
  title: 'Plain',
  version: 'v1.0.0',
  image: 'sless-runtime-plain3.11',
  entrypoint: 'handler.handle',
  moduleSuffixes: ['.mjs'],
  install: [],
  local: {
    command: ['{node}', '-s', 'server.mjs'],
    probe: ['true'],
    missing: '',
    env: { PACKAGES: '{function}/packages', MODE: 'production' },
  },
  folder: '/sless/runtimes/plain',
};
const image = { digest: 'd', key: 'k', runtimeImage: 'r', functionFolder: '/images/1/function' };
const command = (env: Record<string, string> = {}) =>
  serverCommand({
    image,
    runtime,
    env,
    port: 20_001,
    temporary: '/tmp/pod',
    logFile: resolve('.sless/logs/team/pod/function.log'),
    machinePath: '/usr/bin',
  });

test('a runtime is found by the repository of its image, whatever the registry and the version', () => {
  const runtimes = new Map([[runtime.name, runtime]]);
  for (const name of [
    'local/sless-runtime-plain3.11:v1.0.0',
    'r:5000/a/sless-runtime-plain3.11:v9',
    'sless-runtime-plain3.11@sha256:1',
  ]) {
    expect(runtimeOf(runtimes, name)).toBe(runtime);
  }
  expect(runtimeOf(runtimes, 'local/sless-runtime-plain3:v1')).toBeUndefined();
});

test("the server runs in its own folder and is told its function's", () => {
  const { argv, cwd, env } = command();
  expect(argv).toEqual([process.execPath, '-s', 'server.mjs']);
  expect(cwd).toBe(runtime.folder);
  expect(env).toEqual({
    PATH: `${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`,
    HOME: '/tmp/pod',
    TMPDIR: '/tmp/pod',
    LANG: 'C.UTF-8',
    PACKAGES: '/images/1/function/packages',
    MODE: 'production',
    PORT: '20001',
    SLESS_HOST: '127.0.0.1',
    SLESS_FUNCTION_DIR: '/images/1/function',
    SLESS_LOG_FILE: '.sless/logs/team/pod/function.log',
  });
});

test("a user's variables win, but dependencies are still found and the port is ours", () => {
  const { env } = command({
    PATH: '/mine',
    MODE: 'mine',
    PACKAGES: '/mine',
    PORT: '1',
    SLESS_HOST: '0.0.0.0',
  });
  expect(env).toMatchObject({ PATH: '/mine', MODE: 'mine', PACKAGES: '/mine:/images/1/function/packages' });
  expect(env).toMatchObject({ PORT: '20001', SLESS_HOST: '127.0.0.1' });
});
