import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { createServer, type Server } from 'node:net';
import { join, resolve } from 'node:path';
import { afterAll, expect, test, vi } from 'vitest';
import { loadConfig } from '../../src/config/config.ts';
import { localFolder } from '../../src/local/folder.ts';
import { startLocal } from '../../src/local/start.ts';
import { silentLogger } from '../contracts/silent-logger.ts';
import { cleanUp, command, newFolder, startSless, uploadForm } from './sless.ts';

const HOME = resolve(import.meta.dirname, '../..');

afterAll(cleanUp);

async function taken(port = 0): Promise<{ server: Server; port: number }> {
  const server = createServer().listen(port, '127.0.0.1');
  await once(server, 'listening');
  return { server, port: (server.address() as AddressInfo).port };
}

/** Fails when anything listens there. */
async function expectFree(port: number): Promise<void> {
  (await taken(port)).server.close();
}

async function freePort(): Promise<number> {
  const { server, port } = await taken();
  server.close();
  await once(server, 'close');
  return port;
}

test('a start whose metrics port is taken says so and ends, and leaves nothing behind', async () => {
  const folder = await newFolder();
  const metrics = await taken();
  const port = await freePort();
  const ended = await command(folder, [], { PORT: String(port), METRICS_PORT: String(metrics.port) });
  metrics.server.close();
  expect(ended).toMatchObject({ code: 1, out: '' });
  expect(ended.err).toContain(`127.0.0.1:${metrics.port} cannot be listened on`);
  await expectFree(port);
  await expect(access(join(folder, 'lock'))).rejects.toThrow('ENOENT');
}, 30_000);

test.each([
  ['key.json', ''],
  ['state.db', 'no database at all, but text. '.repeat(100)],
])(
  'a start that finds %s damaged says so in one line, and what helps',
  async (name, text) => {
    const folder = await newFolder();
    await writeFile(join(folder, name), text);
    const ended = await command(folder, [], { PORT: String(await freePort()), METRICS_PORT: '0' });
    expect(ended).toMatchObject({ code: 1, out: '' });
    const lines = ended.err.trimEnd().split('\n');
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain(`sless: ${join(folder, name)} is damaged`);
    expect(lines[0]).toContain('move it away');
    await expect(access(join(folder, 'lock'))).rejects.toThrow('ENOENT');
  },
  30_000,
);

test.each(['key.json', 'state.db', 'token', 'pid'])(
  'a start that finds a folder in the place of %s says so in one line, and what helps',
  async (name) => {
    const folder = await newFolder();
    await mkdir(join(folder, name, 'kept'), { recursive: true });
    const ended = await command(folder, [], { PORT: String(await freePort()), METRICS_PORT: '0' });
    expect(ended).toMatchObject({ code: 1, out: '' });
    expect(ended.err.trimEnd()).toBe(
      `sless: ${join(folder, name)} is a folder where sless keeps a file: move it away`,
    );
    await access(join(folder, name, 'kept'));
    await expect(access(join(folder, 'lock'))).rejects.toThrow('ENOENT');
  },
  30_000,
);

test.each(['objects', 'images', 'logs', 'processes'])(
  'a start that finds a file in the place of %s says so in one line',
  async (name) => {
    const folder = await newFolder();
    await writeFile(join(folder, name), 'x');
    const ended = await command(folder, [], { PORT: String(await freePort()), METRICS_PORT: '0' });
    expect(ended).toMatchObject({ code: 1, out: '' });
    expect(ended.err.trimEnd().split('\n')).toHaveLength(1);
    expect(ended.err).toContain(`sless: ${join(folder, name)}`);
  },
  30_000,
);

test('help says what one types', async () => {
  const folder = await newFolder();
  const usage = async (args: readonly string[], env: Record<string, string> = {}) =>
    /^Usage: (.*)$/m.exec((await command(folder, args, { npm_lifecycle_event: 'test', ...env })).out)?.[1];
  const npm = { npm_lifecycle_event: 'start' };
  expect(await usage(['--help'])).toBe('sless local [options] [command]');
  expect(await usage(['--help'], npm)).toBe('npm start -- [options] [command]');
  expect(await usage(['apply', '--help'], npm)).toBe('npm start -- apply -f <file> [options]');
  expect(await usage(['get', '--help'], npm)).toBe('npm start -- get [options] <kind> [name]');
});

test('SLESS_DIR that is a file, and a command that finds a folder in the place of the key, say so', async () => {
  const folder = await newFolder();
  await writeFile(join(folder, 'file'), '');
  const ended = await command(join(folder, 'file'), [], { PORT: '0', METRICS_PORT: '0' });
  expect(ended.err.trimEnd()).toBe(
    `sless: ${join(folder, 'file')} is a file where sless keeps a folder: move it away`,
  );
  await mkdir(join(folder, 'key.json'));
  const token = await command(folder, ['token', 'someone']);
  expect(token).toMatchObject({ code: 1, out: '' });
  expect(token.err).toContain(`${join(folder, 'key.json')} is a folder where sless keeps a file`);
}, 30_000);

/** A start in this process, of what is installed in `home`. */
async function start(folder: string, home: string, port: number): Promise<void> {
  const environment = { ...process.env, PORT: String(port), METRICS_PORT: '0', SLESS_DIR: folder };
  const config = loadConfig(environment, 'local');
  const platform = await startLocal(
    { clock: Date, logger: silentLogger, print: () => {} },
    {
      ...config,
      folder: localFolder(folder),
      home,
      environment,
      host: '127.0.0.1',
      externalUrl: undefined,
      trustedProxies: [],
      version: '0.0.0',
      drainMs: 1000,
    },
  );
  await platform.stop();
}

/** Spoils one step of a start, and says which folder is the home of what is installed. */
const SPOILED: readonly [string, (folder: string) => Promise<string>][] = [
  ['the runtimes', () => newFolder()],
  [
    'the state',
    async (folder) => {
      await mkdir(join(folder, 'state.db'));
      return HOME;
    },
  ],
  [
    'the tokens',
    async (folder) => {
      await writeFile(join(folder, 'key.json'), 'no key');
      return HOME;
    },
  ],
  [
    'the controllers',
    async () => {
      const home = await newFolder();
      await symlink(join(HOME, 'runtimes'), join(home, 'runtimes'));
      return home;
    },
  ],
];

test.each(SPOILED)('a start that fails at %s closes what it had opened', async (_, spoil) => {
  const folder = await newFolder();
  const home = await spoil(folder);
  const port = await freePort();
  await expect(start(folder, home, port)).rejects.toThrow();
  await expectFree(port);
  await expect(access(join(folder, 'lock'))).rejects.toThrow('ENOENT');
});

test('a start after one that failed finds everything free', async () => {
  const folder = await newFolder();
  const port = await freePort();
  const empty = await newFolder();
  await expect(start(folder, empty, port)).rejects.toThrow();
  await start(folder, HOME, port);
  await expectFree(port);
}, 60_000);

test('Ctrl-C in a terminal, which reaches npm and sless and is passed on by npm, ends all in order', async () => {
  const folder = await newFolder();
  const npm = spawn('npm', ['start', '--silent'], {
    cwd: HOME,
    env: { ...process.env, PORT: '0', METRICS_PORT: '0', SLESS_DIR: folder },
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true, // a process group of its own, as a shell makes one
  });
  const ended = once(npm, 'exit');
  let output = '';
  npm.stdout.on('data', (chunk) => {
    output += chunk;
  });
  await vi.waitFor(() => expect(output).toMatch(/^sample \S+/m), 20_000);
  process.kill(-(npm.pid ?? 0), 'SIGINT');
  await ended;
  expect(await readdir(folder)).toContain('state.db');
  for (const left of ['lock', 'pid']) expect(await readdir(folder)).not.toContain(left);
  expect(await readdir(join(folder, 'processes'))).toEqual([]);
}, 40_000);

test('a second Ctrl-C while calls are waited for ends at once, and leaves no lock behind', async () => {
  const folder = await newFolder();
  const sless = await startSless(folder, { METRICS_PORT: '0' });
  await sless.api('POST', `/v1/namespaces/${sless.namespace}/ensure`);
  await sless.api('POST', `/v1/namespaces/${sless.namespace}/functions`, {
    name: 'slow',
    runtime: 'nodejs20',
  });
  const code = `export const handle = () => {
    console.log('begun');
    return new Promise(() => setInterval(() => {}, 1000));
  };`;
  const functions = `/v1/namespaces/${sless.namespace}/functions/slow`;
  await sless.api('POST', `${functions}/upload`, uploadForm({ 'handler.mjs': code }));
  await sless.api('POST', `/v1/namespaces/${sless.namespace}/triggers`, {
    name: 'slow',
    type: 'http',
    function: 'slow',
  });
  await vi.waitFor(async () => {
    expect((await sless.api('GET', functions)).json.phase).toBe('Ready');
  }, 10_000);
  const call = fetch(`${sless.endpoint}/fn/${sless.namespace}/slow`).catch(() => 'cut');
  await vi.waitFor(async () => expect(await logsIn(folder)).toContain('begun'), 10_000);
  const began = performance.now();
  const ended = sless.kill('SIGINT');
  await new Promise((resolve) => setTimeout(resolve, 1000)); // a person's second thought, no condition
  await sless.kill('SIGINT');
  expect(await ended).toMatchObject({ code: 130 });
  expect(performance.now() - began).toBeLessThan(5000);
  expect(await call).toBe('cut');
  for (const left of ['lock', 'pid']) expect(await readdir(folder)).not.toContain(left);
}, 40_000);

/** What functions have printed so far. */
async function logsIn(folder: string): Promise<string> {
  const names = await readdir(join(folder, 'logs'), { recursive: true });
  const logs = names.filter((name) => name.endsWith('function.log'));
  return (await Promise.all(logs.map((name) => readFile(join(folder, 'logs', name), 'utf8')))).join('');
}
