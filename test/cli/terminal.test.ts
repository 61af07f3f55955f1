import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type Installed, startInstalled } from './installed.ts';

/** What a user sees who sits before it, of the packed tarball installed elsewhere. */
let sless: Installed;
let token: string;
const project = () => join(sless.folder, 'greeter');
const onTerminal = (words: readonly string[], options = {}) =>
  sless.onTerminal([process.execPath, sless.program, ...words], options);

beforeAll(async () => {
  sless = await startInstalled();
  token = readFileSync(join(sless.folder, '.sless/token'), 'utf8').trim();
  await sless.run(['init', 'greeter', '--runtime', 'nodejs20']);
  expect((await sless.run(['deploy'], { cwd: project() })).code).toBe(0);
}, 180_000);
afterAll(() => sless.close(), 60_000);

// Each command is a process, and the machine may be busy.
vi.setConfig({ testTimeout: 120_000 });

const ESC = String.fromCharCode(27);
const GREEN_READY = `${ESC}[32mReady${ESC}[0m`;

describe('on a terminal', () => {
  test('tables are coloured; not where NO_COLOR says so, nor in a pipe', async () => {
    const seen = onTerminal(['list']);
    expect(await seen.ended()).toBe(0);
    expect(seen.output()).toContain(GREEN_READY);
    for (const env of [{ NO_COLOR: '1' }, { TERM: 'dumb' }]) {
      const plain = onTerminal(['list'], { env });
      expect(await plain.ended()).toBe(0);
      expect(plain.output()).toMatch(/greeter +nodejs20 +Ready/);
      expect(plain.output()).not.toContain(ESC);
    }
    const empty = onTerminal(['list'], { env: { NO_COLOR: '' } });
    await empty.ended();
    expect(empty.output()).toContain(GREEN_READY);
    expect((await sless.run(['list'])).out).not.toContain(ESC);
  });

  test('an upload shows how far it is, and the line goes when it is through; nothing of that in a pipe', async () => {
    const deploying = onTerminal(['deploy'], { cwd: project() });
    expect(await deploying.ended()).toBe(0);
    expect(deploying.output()).toMatch(/\[#{30}\] 100 %\r.\[K/s);
    expect(deploying.output()).toMatch(/http:\S+\/greeter\r\n$/);
    const piped = await sless.run(['deploy'], { cwd: project() });
    expect(piped.err).not.toMatch(/[\r%]/);
    expect(piped.out).toMatch(/^http:\S+\/greeter\n$/);
  });

  test('a token that is pasted is not shown, and kept for this user alone', async () => {
    const config = join(sless.folder, 'contexts/config.yaml');
    const env = { SLESS_CONFIG: config };
    const login = onTerminal(['login', sless.url, '--name', 'here'], { env });
    await login.says('paste the token');
    login.types(`${token}\r`);
    expect(await login.ended()).toBe(0);
    expect(login.output()).toContain(
      `logged in to ${sless.url}, namespace sless-25bf8e1a2393f110 (context here)`,
    );
    expect(login.output()).not.toContain(token.slice(-20));
    expect(statSync(config).mode & 0o777).toBe(0o600);
    expect(statSync(join(sless.folder, 'contexts')).mode & 0o777).toBe(0o700);
  });

  test('logs -f shows what is written from now on, until Ctrl-C', async () => {
    const file = join(project(), 'handler.mjs');
    const before = readFileSync(file, 'utf8');
    writeFileSync(file, `${before}\nsetInterval(() => console.log('tick', Date.now()), 200);\n`);
    expect((await sless.run(['deploy'], { cwd: project() })).code).toBe(0);
    const logs = onTerminal(['logs', 'greeter', '-f', '--tail', '0']);
    await logs.says(/tick \d+[\s\S]*tick \d+[\s\S]*tick \d+/);
    logs.types('\u0003');
    expect(await logs.ended()).not.toBe(0);
    writeFileSync(file, before);
  }, 60_000);
});

describe('contexts', () => {
  test('are logged into, listed, chosen and forgotten, as those of kubectl are', async () => {
    const config = join(sless.folder, 'several.yaml');
    const env = { SLESS_CONFIG: config };
    const run = (...words: string[]) => sless.run(words, { env, input: token });
    expect(await run('context', 'current')).toMatchObject({ code: 5, out: '' });
    expect(await run('login', sless.url, '--name', 'one')).toMatchObject({ code: 0 });
    expect(await run('login', `${sless.url}/`, '--name', 'two')).toMatchObject({ code: 0 });
    expect((await run('context')).out).toMatch(/^CURRENT +NAME +ENDPOINT +NAMESPACE\n +one .*\n\* +two /);
    expect(await run('context', 'use', 'one')).toMatchObject({ code: 0, out: 'now at one\n' });
    expect(await run('context', 'current')).toMatchObject({ code: 0, out: 'one\n' });
    expect((await run('list', '--context', 'two', '-o', 'name')).out).toContain('greeter\n');
    expect((await run('list', '-o', 'name')).out).toContain('greeter\n');
    expect(await run('context', 'delete', 'one')).toMatchObject({ code: 0 });
    expect(readFileSync(config, 'utf8')).not.toContain('name: one');
    expect(await run('context', 'use', 'one')).toMatchObject({ code: 2, err: /known: two/ });
    expect(statSync(config).mode & 0o777).toBe(0o600);
  });
});

describe('deploy --watch', () => {
  test('deploys at each change, tells what is wrong and goes on; what is left out changes nothing', async () => {
    const folder = join(sless.folder, 'watched');
    await sless.run(['init', 'watched', '--runtime', 'nodejs20']);
    writeFileSync(join(folder, '.gitignore'), '*.log\n');
    const file = join(folder, 'handler.mjs');
    const good = readFileSync(file, 'utf8');
    const watching = sless.start(['deploy', '--watch', '--timeout', '60'], { cwd: folder });
    const rounds = async (count: number) => {
      await vi.waitFor(() => expect(watching.output().split('watching; Ctrl-C').length - 1).toBe(count), {
        timeout: 90_000,
        interval: 50,
      });
    };
    const says = async () => (await sless.run(['invoke', 'watched', '-d', '{"name": "Ada"}'])).out;
    await rounds(1);
    expect(await says()).toContain('Hello, Ada!');
    writeFileSync(file, good.replace('Hello', 'Welcome'));
    await rounds(2);
    expect(await says()).toContain('Welcome, Ada!');
    rmSync(file);
    await rounds(3);
    expect(watching.output()).toMatch(/^sless: .*holds no file to deploy/m);
    expect(await says()).toContain('Welcome, Ada!');
    writeFileSync(join(folder, 'debug.log'), 'x');
    writeFileSync(file, good.replace('Hello', 'Howdy'));
    await rounds(4);
    expect(await says()).toContain('Howdy, Ada!');
    writeFileSync(join(folder, 'debug.log'), 'y');
    mkdirSync(join(folder, 'node_modules/x'), { recursive: true });
    writeFileSync(join(folder, 'node_modules/x/index.js'), '');
    writeFileSync(join(folder, 'sless.yaml'), 'name: watched\nruntime: nodejs20\ntimeout_seconds: 7\n');
    await rounds(5);
    expect(JSON.parse((await sless.run(['get', 'watched', '-o', 'json'])).out).timeout_seconds).toBe(7);
    watching.interrupt();
    expect(await watching.ended()).not.toBe(0);
    expect(watching.output().split('watching; Ctrl-C').length - 1).toBe(5);
  }, 240_000);
});

describe('deploy', () => {
  test('shows what the build writes while it builds, and leaves out what both files say', async () => {
    const folder = join(sless.folder, 'built');
    await sless.run(['init', 'built', '--runtime', 'nodejs20']);
    mkdirSync(join(folder, 'dep'));
    writeFileSync(join(folder, 'dep/package.json'), '{"name": "dep", "version": "1.0.0"}');
    writeFileSync(join(folder, 'package.json'), '{"dependencies": {"dep": "file:./dep"}}');
    writeFileSync(join(folder, '.gitignore'), '*.secret\nkept.txt\n');
    writeFileSync(join(folder, '.slessignore'), 'notes/\n!kept.txt\n');
    mkdirSync(join(folder, 'notes'));
    for (const name of ['a.secret', 'kept.txt', 'notes/x']) writeFileSync(join(folder, name), 'x');
    const deployed = await sless.run(['deploy'], { cwd: folder });
    expect(deployed).toMatchObject({ code: 0, out: expect.stringMatching(/\/built\n$/) });
    expect(deployed.err).toMatch(/added \d+ package/);
    const { out } = await sless.run(['get', 'built', '-o', 'yaml']);
    const namespace = /^namespace: (\S+)/m.exec(out)?.[1];
    const answer = await fetch(`${sless.url}/v1/namespaces/${namespace}/functions/built/source`, {
      headers: { authorization: `Bearer ${token}` },
    });
    const names = ((await answer.json()) as { name: string }[]).map(({ name }) => name);
    expect(names).toEqual(['dep/package.json', 'handler.mjs', 'kept.txt', 'package.json']);
  }, 120_000);
});

describe('whoever asks in a way that cannot go well is told in one sentence, and by an exit code', () => {
  test.each<[string, readonly string[], Record<string, string>, number, RegExp]>([
    [
      'an endpoint that is none',
      ['list'],
      { SLESS_ENDPOINT: 'nonsense', SLESS_API_TOKEN: 'e30.eyJzdWIiOiJhIn0.x' },
      2,
      /is no endpoint/,
    ],
    [
      'a token that is not valid here',
      ['list'],
      { SLESS_ENDPOINT: 'URL', SLESS_API_TOKEN: 'e30.eyJzdWIiOiJhIn0.x' },
      4,
      /login.* again.*\(Unauthenticated\)/,
    ],
    ["somebody else's namespace", ['list', '-n', 'kube-system'], {}, 4, /\(Forbidden\)/],
    ['no function of that name', ['get', 'nobody'], {}, 5, /no function "nobody" \(NotFound\)/],
    ['a name that is taken', ['trigger', 'create', 'http', 'greeter'], {}, 6, /already \(AlreadyExists\)/],
    [
      'a platform that is away',
      ['list'],
      { SLESS_ENDPOINT: 'http://127.0.0.1:59', SLESS_API_TOKEN: 'e30.eyJzdWIiOiJhIn0.x' },
      7,
      /cannot be reached: ECONNREFUSED/,
    ],
    ['a place that is no file', ['list'], { SLESS_CONFIG: '/' }, 2, /cannot be read/],
    ['a folder that cannot be made', ['init', '/dev/null/x'], {}, 1, /cannot be used: ENOTDIR/],
    [
      'a call that fails',
      ['invoke', 'greeter', '-X', 'GET', '-p', '/x', '-H', 'content-length: nine'],
      {},
      7,
      /cannot be reached|broke/,
    ],
  ])('%s', async (_, words, env, code, said) => {
    const filled = (value: string) => (value === 'URL' ? sless.url : value === 'TOKEN' ? token : value);
    const variables = Object.fromEntries(Object.entries(env).map(([name, value]) => [name, filled(value)]));
    const ended = await sless.run(words.map(filled), { env: variables });
    expect(ended).toMatchObject({ code, out: '', err: expect.stringMatching(said) });
    expect(ended.err).toMatch(/^sless: [^\n]+\n$/);
  });

  test('a deployment that takes too long is told by its own code', async () => {
    const slow = join(sless.folder, 'slow');
    await sless.run(['init', 'slow', '--runtime', 'nodejs20']);
    writeFileSync(
      join(slow, 'handler.mjs'),
      'await new Promise((r) => setTimeout(r, 9000));\nexport const handle = () => 1;\n',
    );
    expect(await sless.run(['deploy', '--timeout', '1'], { cwd: slow })).toMatchObject({
      code: 8,
      err: expect.stringMatching(/^sless: not ready after 1 s/m),
    });
  });

  test('a reader that has had enough is no fault', () => {
    const line = `"${process.execPath}" "${sless.program}" list -o json | head -1; echo "$\{PIPESTATUS[0]}"`;
    const env = { ...process.env, HOME: sless.folder, SLESS_DIR: join(sless.folder, '.sless') };
    expect(execFileSync('bash', ['-c', `${line} 2>&1`], { env, encoding: 'utf8' })).toMatch(/^\[\n0\n$/);
  });
});

describe('completion', () => {
  test.each<[string, readonly string[]]>([
    ['sless tr', ['trigger']],
    ['sless trigger en', ['enable']],
    ['sless trigger create c', ['cron']],
    ['sless deploy --w', ['--watch']],
    ['sless job run --wait', ['--wait-timeout']],
  ])('of bash: %s', async (typed, wanted) => {
    const { out } = await sless.run(['completion', 'bash']);
    const words = typed.split(' ');
    const script = `${out}\nCOMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')})\nCOMP_CWORD=${words.length - 1}\n_sless\necho "$\{COMPREPLY[@]}"`;
    expect(execFileSync('bash', ['-c', script], { encoding: 'utf8' }).trim().split(' ')).toEqual(wanted);
  });

  test.each([
    ['bash', ['--norc', '-i']],
    ['zsh', ['-f', '-i']],
    ['fish', ['--no-config', '-i']],
  ])('of %s, at the Tab key', async (shell, options) => {
    const there = execFileSync('sh', ['-c', `command -v ${shell} || true`], { encoding: 'utf8' });
    if (there === '') return console.warn(`SKIPPED: completion of ${shell}, which is not here`);
    const script = join(sless.folder, `completion.${shell}`);
    writeFileSync(script, (await sless.run(['completion', shell])).out);
    const typing = sless.onTerminal([shell, ...options], { env: { HISTFILE: '/dev/null' } });
    typing.types(`source ${script}; echo loa''ded\r`);
    await typing.says(/loaded/);
    typing.types('sless trigger ena\t');
    await typing.says(/enable/);
    typing.interrupt();
    await typing.ended();
  });
});
