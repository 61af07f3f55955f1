import { spawnSync } from 'node:child_process';
import { cpSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { missing, type Subject } from './cases.ts';
import { type Running, type Served, searchPath, serve, start, stop, substitute } from './server.ts';
import { logged } from './shared-server.ts';
import { ask, call, json } from './wire.ts';

export function loadingSuite(subject: Subject): void {
  const { runtime, cases } = subject;

  describe('loading', () => {
    let served: Served | undefined;
    afterEach(() => stop(served));

    const answersHello = async (options: {
      folder: string;
      entrypoint: string;
      env: Record<string, string>;
    }) => {
      served = await serve(runtime, options);
      const response = await ask(served.port, call('/', {}));
      expect(response.body.toString()).toBe('"hello"');
    };

    test.each(cases.loads)('finds $entrypoint in $folder', async ({ folder, entrypoint, env }) => {
      await answersHello({ folder: subject.folder(folder), entrypoint, env });
    });

    test.each(cases.refuses)(
      'ends the process for $entrypoint',
      async ({ folder, entrypoint, env, says }) => {
        const running = start(runtime, {
          folder: subject.folder(folder),
          entrypoint,
          env: { PORT: '0', ...env },
        });
        expect((await running.exited).code).not.toBe(0);
        for (const words of says) expect(running.output()).toContain(words);
        // Nothing of the runtime's own files stands in the traceback of a function.
        expect(running.output()).not.toContain(runtime.folder);
      },
    );

    test.each(cases.installs)('finds what is installed by the manifest for $folder', async (installed) => {
      const reason = missing(installed.needs);
      if (reason !== undefined) {
        console.warn(`SKIPPED: ${runtime.name}: installing ${installed.folder}: ${reason}`);
        return;
      }
      const folder = subject.folder(installed.folder);
      install(subject, folder);
      await answersHello({ folder, entrypoint: installed.entrypoint, env: installed.env });
    });

    test("takes the manifest's entrypoint where none is set", async () => {
      const folder = subject.freshPath();
      const [module = ''] = runtime.entrypoint.split('.');
      cpSync(subject.folder('behaviours'), folder, { recursive: true });
      for (const file of readdirSync(folder)) {
        renameSync(join(folder, file), join(folder, file.replace('behaviours', module)));
      }
      served = await serve(runtime, { folder });
      expect((await ask(served.port, call('/echo', 1))).body.toString()).toBe('1');
    });

    test('makes the folder of the function the working folder', async () => {
      const folder = subject.folder('behaviours');
      served = await serve(runtime, { folder, entrypoint: 'behaviours.handle' });
      expect(json(await ask(served.port, { path: '/folder' }))).toBe(folder);
    });

    test('shows what the function prints at once', async () => {
      served = await serve(runtime, {
        folder: subject.folder('behaviours'),
        entrypoint: 'behaviours.handle',
      });
      await ask(served.port, call('/print', { text: 'живой журнал' }));
      await logged(served, 'printed живой журнал\n');
    });
  });

  describe('settings that are wrong', () => {
    let running: Running | undefined;
    afterEach(() => stop(running));

    test('are named, all of them, and nothing starts', async () => {
      const env = {
        PORT: '70000',
        SLESS_TIMEOUT_SECONDS: 'soon',
        SLESS_CONCURRENCY: '0',
        SLESS_GRACE_SECONDS: '-1',
        SLESS_FUNCTION_DIR: '/nowhere/at/all',
      };
      running = start(runtime, { folder: subject.folder('modules'), env });
      expect((await running.exited).code).not.toBe(0);
      for (const name of Object.keys(env)) expect(running.output()).toContain(name);
    });
  });

  test('the manifest promises the files that the loader tries', async () => {
    const folder = subject.freshPath();
    cpSync(subject.folder('modules'), folder, { recursive: true });
    writeFileSync(join(folder, 'present'), '');
    const running = start(runtime, { folder, entrypoint: 'absent.greet', env: { PORT: '0' } });
    await running.exited;
    for (const suffix of runtime.moduleSuffixes) expect(running.output()).toContain(`absent${suffix}`);
  });
}

/** Runs the first install step whose file is there, as a build of local mode does. */
function install({ runtime }: Subject, folder: string): void {
  const step = runtime.install.find(({ file }) => readdirSync(folder).includes(file));
  if (step === undefined) throw new Error(`no install step of ${runtime.name} applies to ${folder}`);
  const [program = '', ...args] = substitute(step.local);
  const { status, stderr } = spawnSync(program, args, {
    cwd: folder,
    env: { PATH: searchPath(), HOME: folder, PIP_NO_INDEX: '1', npm_config_offline: 'true' },
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`${step.local.join(' ')}: ${stderr}`);
}
