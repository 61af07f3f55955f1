import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type InstalledPackage, installPackage } from './package.ts';

/** Another machine's view: the packed tarball, installed elsewhere, and nothing of the checkout. */
let sless: InstalledPackage;
let platform: ChildProcess;
let folder: string;

const env = () => ({
  PATH: process.env.PATH,
  HOME: folder,
  SLESS_DIR: join(folder, '.sless'),
  NO_COLOR: '1',
});

/** Runs a command to its end, in the folder or below it. */
async function run(words: readonly string[], { cwd = folder, input = '' } = {}) {
  const child = spawn(process.execPath, [sless.program, ...words], { cwd, env: env() });
  child.stdin.end(input);
  const [out, err, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]);
  return { code, out, err };
}

beforeAll(async () => {
  sless = installPackage();
  folder = join(sless.folder, 'home');
  mkdirSync(folder);
  platform = spawn(process.execPath, [sless.program, 'local'], {
    cwd: folder,
    env: { ...env(), PORT: '0' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [platform.stdout, platform.stderr])
    stream?.on('data', (chunk) => {
      output += chunk;
    });
  await vi.waitFor(() => expect(output).toMatch(/^sless ready http/m), { timeout: 60_000, interval: 50 });
}, 120_000);
afterAll(async () => {
  const ended = once(platform, 'exit');
  platform.kill('SIGINT');
  await ended;
  sless.close();
}, 30_000);

describe('from a template to a URL and back', { timeout: 240_000 }, () => {
  const project = () => join(folder, 'greeter');

  test('init, deploy, invoke, logs', async () => {
    expect(await run(['init', 'greeter', '--runtime', 'nodejs20'])).toMatchObject({
      code: 0,
      out: expect.stringContaining('sless deploy'),
    });
    const deployed = await run(['deploy'], { cwd: project() });
    expect(deployed).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/fn\/\S+\/greeter\n$/),
    });
    expect(deployed.err).toContain('Ready');
    expect(await run(['invoke', 'greeter', '-d', '{"name": "Ada"}'])).toMatchObject({
      code: 0,
      out: '{"message":"Hello, Ada!"}',
    });
    expect((await run(['invoke', 'greeter', '-d', '@-'], { input: '{"name": "Bo"}' })).out).toBe(
      '{"message":"Hello, Bo!"}',
    );
    expect((await run(['logs', 'greeter'])).out).toContain('ready');
    expect((await run(['list', '-o', 'name'])).out.split('\n')).toContain('greeter');
    expect(JSON.parse((await run(['get', 'greeter', '-o', 'json'])).out)).toMatchObject({
      name: 'greeter',
      phase: 'Ready',
    });
    expect((await run(['get', 'greeter'])).out).toMatch(/^NAME +RUNTIME +PHASE/);
  });

  test('a broken version is told with its reason and an exit code; the good one serves, and rollback leads back', async () => {
    const file = join(project(), 'handler.mjs');
    const good = readFileSync(file, 'utf8');
    writeFileSync(file, good.replace('Hello', 'Welcome'));
    expect((await run(['deploy'], { cwd: project() })).code).toBe(0);
    expect((await run(['invoke', 'greeter'])).out).toContain('Welcome');
    expect(await run(['rollback', 'greeter'])).toMatchObject({ code: 0 });
    expect((await run(['invoke', 'greeter'])).out).toContain('Hello');
    writeFileSync(join(project(), 'package.json'), '{"dependencies": {"x": "file:./missing.tgz"}}');
    const broken = await run(['deploy', '--timeout', '60'], { cwd: project() });
    expect(broken.code).toBe(1);
    expect(broken.err).toMatch(/sless: .+/);
    expect((await run(['invoke', 'greeter'])).out).toContain('Hello');
    rmSync(join(project(), 'package.json'));
    writeFileSync(file, good);
    expect((await run(['deploy'], { cwd: project() })).code).toBe(0);
  });

  test('stop, start, triggers, a job, delete', async () => {
    expect((await run(['stop', 'greeter'])).code).toBe(0);
    await vi.waitFor(async () => expect((await run(['invoke', 'greeter'])).code).toBe(1), {
      timeout: 15_000,
    });
    expect((await run(['start', 'greeter'])).code).toBe(0);
    await vi.waitFor(async () => expect((await run(['invoke', 'greeter'])).code).toBe(0), {
      timeout: 20_000,
    });
    const cron = await run(['trigger', 'create', 'cron', 'greeter', '--schedule', '0 3 * * *', '-o', 'json']);
    expect(JSON.parse(cron.out)).toMatchObject({ name: 'greeter-cron', schedule: '0 3 * * *' });
    expect((await run(['trigger', 'disable', 'greeter-cron'])).code).toBe(0);
    expect(await run(['job', 'run', 'greeter', '-e', '{"name": "job"}'])).toMatchObject({
      code: 0,
      out: '{"message":"Hello, job!"}\n',
    });
    expect(await run(['job', 'run', 'greeter', '-e', '{"name": "again"}'])).toMatchObject({
      code: 0,
      out: '{"message":"Hello, again!"}\n',
    });
    expect((await run(['events', 'publish', 'orders', 'x'])).code).toBe(0);
    expect((await run(['delete', 'greeter'])).code).toBe(0);
    expect(await run(['get', 'greeter'])).toMatchObject({
      code: 5,
      err: expect.stringContaining('NotFound'),
    });
  });
});

describe('what is said wrongly is told in one sentence', () => {
  test.each([
    [['get', '../../ensure'], 1, /NotFound|InvalidRequest/],
    [['deploy', 'nowhere'], 2, /sless\.yaml/],
    [['frob'], 2, /unknown command/],
    [['get'], 2, /missing required argument/],
    [['init', '.sless'], 2, /not empty/],
    [['init', 'x', '--runtime', 'cobol'], 2, /python3\.11/],
    [['login', 'ftp://x'], 2, /https:\/\/sless/],
    [['login', 'http://127.0.0.1:9', '--token', 'e30.eyJzdWIiOiJhIn0.x'], 7, /cannot be reached/],
    [['context', 'use', 'none'], 2, /no context/],
    [['trigger', 'create', 'cron', 'hello-node', '--schedule', 'daily'], 1, /schedule/],
    [['invoke', 'hello-node', '-H', 'nonsense'], 2, /is no header/],
  ] as const)('%j', async (words, code, said) => {
    const ended = await run(words);
    expect(ended).toMatchObject({ code, out: '', err: expect.stringMatching(said) });
    expect(ended.err).not.toContain('at file:');
  });

  test('an older Node is told what it lacks', async () => {
    const preload = join(folder, 'older.cjs');
    writeFileSync(preload, "Object.defineProperty(process.versions, 'node', { value: '20.1.0' });\n");
    const child = spawn(process.execPath, ['--require', preload, sless.program, 'list'], { env: env() });
    const [err, [code]] = await Promise.all([text(child.stderr), once(child, 'close')]);
    expect(code).toBe(78);
    expect(err).toContain('needs Node 24 or later (this is 20.1.0)');
  });
});
