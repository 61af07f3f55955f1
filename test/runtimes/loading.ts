import { spawnSync } from 'node:child_process';
import { cpSync, readdirSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { installStep } from '../../src/runtimes/install-step.ts';
import { missing, type Subject } from './cases.ts';
import { type Served, searchPath, serve, start, stop, substitute } from './server.ts';
import { sharedServer } from './shared-server.ts';
import { ask, call, json } from './wire.ts';

export function loadingSuite(subject: Subject): void {
  const { runtime, cases } = subject;

  describe('loading', () => {
    test.concurrent.for(cases.loads)(
      'finds $entrypoint in $folder',
      async (load, { onTestFinished, expect }) => {
        const server = await serve(runtime, { ...load, folder: subject.folder(load.folder) });
        onTestFinished(() => stop(server));
        expect(await greeting(server)).toBe('"hello"');
      },
    );

    test.concurrent.for(cases.refuses)('ends the process for $entrypoint', async (load, { expect }) => {
      const options = { ...load, folder: subject.folder(load.folder), env: { PORT: '0', ...load.env } };
      const running = start(runtime, options);
      expect((await running.exited).code).not.toBe(0);
      for (const words of load.says) expect(running.output()).toContain(words);
      // Nothing of the runtime's own files stands in the traceback of a function.
      expect(running.output()).not.toContain(runtime.folder);
    });

    test.for(cases.installs)('finds what the manifest installs for $folder', async (installed, context) => {
      const reason = missing(installed.needs);
      if (reason !== undefined)
        console.warn(`SKIPPED: ${runtime.name}: installing ${installed.folder}: ${reason}`);
      context.skip(reason !== undefined, reason);
      const folder = subject.folder(installed.folder);
      install(subject, folder);
      const server = await serve(runtime, { ...installed, folder });
      context.onTestFinished(() => stop(server));
      expect(await greeting(server)).toBe('"hello"');
    });

    test("takes the manifest's entrypoint where none is set", async ({ onTestFinished }) => {
      const folder = subject.freshPath();
      const [module = ''] = runtime.entrypoint.split('.');
      cpSync(subject.folder('behaviours'), folder, { recursive: true });
      for (const file of readdirSync(folder)) {
        renameSync(join(folder, file), join(folder, file.replace('behaviours', module)));
      }
      const server = await serve(runtime, { folder });
      onTestFinished(() => stop(server));
      expect((await ask(server.port, call('/echo', 1))).body.toString()).toBe('1');
    });

    test('names, when it finds no module, all files that the manifest promises to try', async () => {
      const options = { folder: subject.folder('modules'), entrypoint: 'absent.greet', env: { PORT: '0' } };
      const running = start(runtime, options);
      await running.exited;
      for (const suffix of runtime.moduleSuffixes) expect(running.output()).toContain(`absent${suffix}`);
    });
  });

  describe('the process of the function', () => {
    const server = sharedServer(subject);

    test('works in the folder of the function', async () => {
      expect(json(await ask(server.port(), { path: '/folder' }))).toBe(subject.folder('behaviours'));
    });

    test('shows what the function prints at once', async () => {
      await ask(server.port(), call('/print', { text: 'живой журнал' }));
      await server.logged('printed живой журнал\n');
    });
  });

  test('settings that are wrong are named, all of them, and nothing starts', async () => {
    const env = {
      PORT: '70000',
      SLESS_TIMEOUT_SECONDS: 'soon',
      SLESS_CONCURRENCY: '0',
      SLESS_GRACE_SECONDS: '-1',
      SLESS_FUNCTION_DIR: '/nowhere/at/all',
    };
    const running = start(runtime, { folder: subject.folder('modules'), env });
    expect((await running.exited).code).not.toBe(0);
    for (const name of Object.keys(env)) expect(running.output()).toContain(name);
  });
}

async function greeting(server: Served): Promise<string> {
  return (await ask(server.port, call('/', {}))).body.toString();
}

/** Runs the install step that is asked for, as a build of local mode does. */
function install({ runtime }: Subject, folder: string): void {
  const step = installStep(runtime, {
    has: (name) => readdirSync(folder).includes(name),
    read: (name) => readFileSync(join(folder, name), 'utf8'),
  });
  if (step === undefined) throw new Error(`no install step of ${runtime.name} applies to ${folder}`);
  const [program = '', ...args] = substitute(step.local);
  const { status, stderr } = spawnSync(program, args, {
    cwd: folder,
    env: { PATH: searchPath(), HOME: folder, PIP_NO_INDEX: '1', npm_config_offline: 'true' },
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`${step.local.join(' ')}: ${stderr}`);
}
