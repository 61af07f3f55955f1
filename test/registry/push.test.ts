import { spawn } from 'node:child_process';
import { chmod, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { CraneEnd } from '../../src/registry/crane.ts';
import { pushImage } from '../../src/registry/push-image.ts';
import { exitCodeOf } from '../../src/registry/refusal.ts';
import { imageTar } from './image-tar.ts';

const BY_DIGEST = `registry:5000/sless/ns/f@sha256:${'a'.repeat(64)}`;
const UNAVAILABLE = 'Error: dial tcp 10.0.0.1:5000: connect: connection refused';

let folder: string;
let image: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sless-push-'));
  image = join(folder, 'image.tar');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

describe('pushing', () => {
  const push = async (answers: readonly Partial<CraneEnd>[], options: { base?: string } = {}) => {
    const asked: (readonly string[])[] = [];
    const pauses: number[] = [];
    const crane = async (args: readonly string[]): Promise<CraneEnd> => {
      const answer = answers[Math.min(asked.length, answers.length - 1)];
      asked.push(args);
      return { exitCode: 1, stdout: '', lastLines: [], ...answer };
    };
    const sleep = async (milliseconds: number) => void pauses.push(milliseconds);
    const deps = { crane, sleep, random: () => 1, note: () => undefined };
    const target = { image: 'registry:5000/sless/ns/f:t', file: image, insecure: false, ...options };
    const outcome: unknown = await pushImage(deps, target).catch((error: unknown) => error);
    return { outcome, asked, pauses };
  };
  beforeEach(async () => writeFile(image, await imageTar([['a', 'layer']])));

  test('a whole image is pushed, a layer goes upon its base; the digest is told', async () => {
    const good = { exitCode: 0, stdout: `${BY_DIGEST}\n` };
    const whole = await push([good]);
    expect(whole.outcome).toBe(BY_DIGEST);
    expect(whole.asked).toEqual([['push', '/proc/self/fd/3', 'registry:5000/sless/ns/f:t']]);
    const layer = await push([good], { base: 'runtime:v1' });
    expect(layer.asked[0]).toEqual([
      'append',
      '--base=runtime:v1',
      '--new_layer=/proc/self/fd/3',
      '--new_tag=registry:5000/sless/ns/f:t',
    ]);
  });

  test('what is no image is not told of, even where the registry has taken it', async () => {
    await writeFile(image, 'no tar');
    const { outcome } = await push([{ exitCode: 0, stdout: BY_DIGEST }]);
    expect(outcome).toMatchObject({ code: 'BuildFailed' });
  });

  test('a registry that is away is tried again, with growing pauses, and not for ever', async () => {
    const away = { lastLines: [UNAVAILABLE] };
    const back = await push([away, away, { exitCode: 0, stdout: BY_DIGEST }]);
    expect(back).toMatchObject({ outcome: BY_DIGEST, pauses: [1000, 2000] });
    const gone = await push([away]);
    expect(gone.outcome).toMatchObject({ code: 'RegistryUnavailable' });
    expect(gone.pauses).toEqual([1000, 2000, 4000]);
  });

  test('a login that is refused is told at once', async () => {
    const { outcome, asked } = await push([{ lastLines: ['Error: UNAUTHORIZED: authentication required'] }]);
    expect(outcome).toMatchObject({ code: 'RegistryRefused' });
    expect(asked).toHaveLength(1);
  });
});

describe('what lies in the place of the image', () => {
  test.each([
    ['nothing', async () => undefined],
    ['a link to the login', (path: string) => symlink('/etc/passwd', path)],
    ['a pipe', (path: string) => run('mkfifo', [path])],
    ['a folder', (path: string) => run('mkdir', [path])],
  ])('%s is never opened by crane', async (_what, make) => {
    await make(image);
    const crane = async (): Promise<CraneEnd> => {
      throw new Error('crane was run');
    };
    const deps = { crane, sleep: async () => undefined, random: () => 1, note: () => undefined };
    const error = await pushImage(deps, { image: 'r/f:t', file: image, insecure: false }).catch(
      (reason: unknown) => reason,
    );
    expect(error).toMatchObject({ code: 'BuildFailed' });
    expect(exitCodeOf(error as Parameters<typeof exitCodeOf>[0])).toBe(65);
  });
});

describe('the command', () => {
  /** A crane that says what it was given, and behaves as it is told to. */
  const CRANE = `#!/bin/sh
echo "$@" > "$OUT"
case "$1" in push) cat "$2" >> "$OUT";; esac
[ -z "$COMPLAINT" ] || { echo "$COMPLAINT" >&2; exit 1; }
echo "${BY_DIGEST}"
`;
  const command = async (env: Record<string, string>) => {
    const crane = join(folder, 'crane');
    await writeFile(crane, CRANE);
    await chmod(crane, 0o755);
    const child = spawn(process.execPath, [resolve('src/bin/sless.ts'), 'push'], {
      env: {
        PATH: `${folder}:/usr/bin:/bin`,
        OUT: join(folder, 'out'),
        PUSH_FILE: image,
        PUSH_IMAGE: 'r:5000/f:t',
        ...env,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const ended = new Promise<number | null>((done) => void child.on('close', done));
    const [stdout, stderr, exitCode] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
    return { stdout, stderr, exitCode };
  };

  test('gives crane the open file, and ends with the digest', async () => {
    const tar = await imageTar([['a', 'the tar']]);
    await writeFile(image, tar);
    const { stdout, exitCode } = await command({ REGISTRY_INSECURE: 'true' });
    expect(exitCode).toBe(0);
    expect(stdout).toBe(`${BY_DIGEST}\n`);
    const given = await readFile(join(folder, 'out'), 'utf8');
    expect(given).toBe(`push /proc/self/fd/3 r:5000/f:t --insecure\n${tar}`);
  });

  test('says in its last line and its exit code that a login was refused', async () => {
    await writeFile(image, await imageTar([['a', 'the tar']]));
    const { stderr, exitCode } = await command({ COMPLAINT: 'Error: PUT http://r/v2: DENIED: not for you' });
    expect(exitCode).toBe(77);
    expect(stderr.trim().split('\n').at(-1)).toBe(
      'sless push: RegistryRefused: PUT http://r/v2: DENIED: not for you',
    );
  });
});

async function run(program: string, args: readonly string[]): Promise<void> {
  const child = spawn(program, args);
  const code = await new Promise((done) => void child.on('close', done));
  if (code !== 0) throw new Error(`${program} ended with ${code}`);
}
