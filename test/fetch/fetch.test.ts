import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { fetchContext } from '../../src/fetch/fetch-context.ts';
import { exitCodeOf } from '../../src/fetch/refusal.ts';
import type { Format } from '../../src/fetch/store-context.ts';
import { type Handler, startScripted } from '../api-server/scripted.ts';
import { createWorkbench, HANDLER, readTarGz, type Workbench } from '../source/workbench.ts';

let folder: string;
let bench: Workbench;
let context: Buffer;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sless-fetch-'));
  bench = await createWorkbench();
  await bench.prepare([HANDLER, { name: 'bin/tool', content: '#!/bin/sh\n', mode: 0o755 }]);
  context = await readFile(bench.context);
  await writeFile(join(folder, 'token'), 'the token\n');
});
afterEach(async () => {
  await bench[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

const whole = (response: ServerResponse): void => void response.end(context);
const refused =
  (status: number, body: object | string = '', headers: Record<string, string> = {}): Handler =>
  (_seen, response) =>
    void response.writeHead(status, headers).end(typeof body === 'string' ? body : JSON.stringify(body));

/** The api as a script: the first answer to the first try, and so on; the last one to all that follow. */
async function api(...answers: readonly Handler[]) {
  let tries = 0;
  return startScripted((seen, response) => answers[Math.min(tries++, answers.length - 1)]?.(seen, response));
}

const fetchFrom = async (origin: string, format: Format = 'layer') => {
  const pauses: number[] = [];
  const notes: string[] = [];
  const file = join(folder, 'out');
  const deps = {
    sleep: async (milliseconds: number) => void pauses.push(milliseconds),
    random: () => 1,
    note: (line: string) => void notes.push(line),
  };
  const options = { url: `${origin}/c?key=k`, tokenFile: join(folder, 'token'), file, format };
  const error: unknown = await fetchContext(deps, options).catch((reason: unknown) => reason);
  return { error, pauses, notes, file };
};

describe('what is brought', () => {
  test('a layer: the code below app/function/, owned by root, folders first', async () => {
    const server = await api((_seen, response) => whole(response));
    const { error, file } = await fetchFrom(server.origin, 'layer');
    expect(error).toBeUndefined();
    expect(server.seen).toMatchObject([
      { method: 'GET', path: '/c', headers: { authorization: 'Bearer the token' } },
    ]);
    const entries = await readTarGz(file);
    expect(entries.map(({ name, mode }) => [name, mode])).toEqual([
      ['app/function/', 0o755],
      ['app/function/bin/', 0o755],
      ['app/function/bin/tool', 0o755],
      ['app/function/handler.py', 0o644],
    ]);
    expect(await readdir(folder)).toEqual(['out', 'token']);
  });

  test('the same code is the same layer, byte for byte', async () => {
    const server = await api((_seen, response) => whole(response));
    const first = await readFile((await fetchFrom(server.origin)).file);
    expect(await readFile((await fetchFrom(server.origin)).file)).toEqual(first);
  });

  test('a context: the very bytes, verified', async () => {
    const server = await api((_seen, response) => whole(response));
    const { error, file } = await fetchFrom(server.origin, 'context');
    expect(error).toBeUndefined();
    expect(await readFile(file)).toEqual(context);
  });

  test('a file that an earlier run left half-written is replaced', async () => {
    const server = await api((_seen, response) => whole(response));
    await writeFile(join(folder, 'out.part'), 'half');
    await writeFile(join(folder, 'out'), 'old');
    const { error, file } = await fetchFrom(server.origin, 'context');
    expect(error).toBeUndefined();
    expect(await readFile(file)).toEqual(context);
  });
});

describe('what passes is tried again', () => {
  test('an api that starts, is busy, or stands behind something that is', async () => {
    const server = await api(
      (_seen, response) => void response.destroy(),
      refused(503, { error: 'the object store is away', code: 'Unavailable' }),
      refused(502, '<html>'),
      refused(429, { error: 'too many', code: 'TooManyRequests' }, { 'retry-after': '7' }),
      (_seen, response) => whole(response),
    );
    const { error, pauses, notes } = await fetchFrom(server.origin);
    expect(error).toBeUndefined();
    expect(pauses).toEqual([250, 500, 1000, 7000]);
    expect(notes[1]).toBe('try 2 of 8 failed, again in 500 ms: Unavailable: the object store is away');
  });

  test.each(['layer', 'context'] as const)('a body that breaks off, as a %s', async (format) => {
    const server = await api(
      (_seen, response) => {
        response.writeHead(200, { 'content-length': context.length });
        response.write(context.subarray(0, 600), () => response.destroy());
      },
      (_seen, response) => whole(response),
    );
    const { error, notes, file } = await fetchFrom(server.origin, format);
    expect(error).toBeUndefined();
    expect(notes[0]).toContain('Unavailable: the api cannot be reached: aborted');
    expect((await readFile(file)).length).toBeGreaterThan(0);
  });

  test('the token is read again, and a 401 tried again, but not for long', async () => {
    const server = await api(
      (seen, response) => {
        expect(seen.headers.authorization).toBe('Bearer the token');
        void writeFile(join(folder, 'token'), 'another token').then(() => response.writeHead(401).end());
      },
      (_seen, response) => whole(response),
    );
    expect((await fetchFrom(server.origin)).error).toBeUndefined();
    expect(server.seen[1]?.headers.authorization).toBe('Bearer another token');
    const stubborn = await api(refused(401, { error: 'no', code: 'Unauthenticated' }));
    expect((await fetchFrom(stubborn.origin)).error).toMatchObject({ code: 'Unauthenticated' });
    expect(stubborn.seen).toHaveLength(3);
  });

  test('a redirect is not followed: another place must not see the token', async () => {
    const elsewhere = await api((_seen, response) => whole(response));
    const server = await api(refused(302, '', { location: elsewhere.origin }));
    expect((await fetchFrom(server.origin)).error).toMatchObject({ code: 'Unavailable' });
    expect(elsewhere.seen).toEqual([]);
  });

  test('tries and pauses are bounded', async () => {
    const { error, pauses } = await fetchFrom('http://127.0.0.1:1');
    expect(error).toMatchObject({ code: 'Unavailable' });
    expect(pauses).toEqual([250, 500, 1000, 2000, 4000, 8000, 8000]);
    const endless = await api(refused(503, '', { 'retry-after': '9999' }));
    expect((await fetchFrom(endless.origin)).pauses).toEqual(Array(7).fill(30_000));
  });
});

describe('what another try would not mend is not tried again', () => {
  const cut = () => context.subarray(0, context.length - 40);
  const turned = () => {
    const bytes = Buffer.from(context);
    bytes.writeUInt8(bytes.readUInt8(bytes.length - 2) ^ 0xff, bytes.length - 2);
    return bytes;
  };
  const nonsense = () => Buffer.from('no gzip at all');

  test.each([
    ['layer', 'a context that ends too early', cut],
    ['context', 'a context that ends too early', cut],
    ['layer', 'a context whose checksum is wrong', turned],
    ['context', 'a context whose checksum is wrong', turned],
    ['layer', 'what is no context', nonsense],
    ['context', 'what is no context', nonsense],
  ] as const)('as a %s: %s', async (format, _what, make) => {
    const server = await api((_seen, response) => void response.end(make()));
    const { error } = await fetchFrom(server.origin, format);
    expect(error).toMatchObject({ code: 'InvalidArchive' });
    expect(server.seen).toHaveLength(1);
    expect(await readdir(folder)).not.toContain('out');
  });

  test.each([
    [400, 'InvalidRequest'],
    [403, 'Forbidden'],
    [404, 'NotFound'],
  ])('%i without a word', async (status, code) => {
    const server = await api(refused(status));
    expect((await fetchFrom(server.origin)).error).toMatchObject({ code });
    expect(server.seen).toHaveLength(1);
  });

  test('a volume that cannot be written to', async () => {
    const server = await api((_seen, response) => whole(response));
    await mkdir(join(folder, 'out', 'in-the-way'), { recursive: true });
    const { error } = await fetchFrom(server.origin);
    expect(error).toMatchObject({ code: 'Unavailable', message: expect.stringMatching(/volume \(EISDIR\)/) });
    expect(exitCodeOf(error as never)).toBe(74);
    expect(server.seen).toHaveLength(1);
  });
});

describe('the program', () => {
  const run = async (env: Record<string, string>) => {
    const program = resolve(import.meta.dirname, '../../src/bin/sless.ts');
    const child = spawn(process.execPath, [program, 'fetch'], { env: { PATH: process.env.PATH, ...env } });
    const ended = new Promise<number | null>((done) => child.on('close', done));
    const [stderr, code] = await Promise.all([text(child.stderr), ended, text(child.stdout)]);
    return { code, last: stderr.trim().split('\n').at(-1) ?? '', stderr };
  };
  const env = (origin: string) => ({
    CONTEXT_URL: `${origin}/internal/contexts/ns/f?key=k`,
    CONTEXT_FILE: join(folder, 'out'),
    CONTEXT_FORMAT: 'layer',
    CONTEXT_TOKEN_FILE: join(folder, 'token'),
  });

  test('ends with 0 and a layer', async () => {
    const server = await api((_seen, response) => whole(response));
    expect(await run(env(server.origin))).toMatchObject({ code: 0, stderr: '' });
    expect(gunzipSync(await readFile(join(folder, 'out'))).length).toBeGreaterThan(2048);
  });

  test.each([
    [404, 'NoSuchVersion', 'there is nothing stored under contexts/ns/f/x', 65],
    [403, 'ForbiddenSource', 'the key must begin with contexts/ns/f/', 77],
    [403, 'Forbidden', 'the token is not of a service account in ns', 77],
  ])('ends with %i %s as its last line says, without the token', async (status, code, error, exit) => {
    const server = await api(refused(status, { error, code }));
    const ended = await run(env(server.origin));
    expect(ended).toMatchObject({ code: exit, last: `sless fetch: ${code}: ${error}` });
    expect(ended.stderr).not.toContain('the token\n');
  });

  test('names what is missing of its settings', async () => {
    const { code, stderr } = await run({});
    expect(code).toBe(78);
    for (const name of ['CONTEXT_URL', 'CONTEXT_FILE', 'CONTEXT_FORMAT', 'CONTEXT_TOKEN_FILE'])
      expect(stderr).toContain(`${name} is missing`);
  });
});
