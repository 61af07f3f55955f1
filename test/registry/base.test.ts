import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { bringBase } from '../../src/registry/base-image.ts';
import type { CraneEnd } from '../../src/registry/crane.ts';
import { createWorkbench, HANDLER, type Workbench } from '../source/workbench.ts';

const DIGEST = `sha256:${'a'.repeat(64)}`;

let folder: string;
let bench: Workbench;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sless-base-'));
  bench = await createWorkbench();
  await bench.prepare([HANDLER, { name: 'requirements.txt', content: 'x\n' }]);
});
afterEach(async () => {
  await bench[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

const bring = async (image: string, answer: (args: readonly string[]) => Partial<CraneEnd>) => {
  const asked: (readonly string[])[] = [];
  const crane = async (args: readonly string[]): Promise<CraneEnd> => {
    asked.push(args);
    return { exitCode: 0, stdout: '', lastLines: [], ...answer(args) };
  };
  const deps = { crane, sleep: async () => undefined, random: () => 1, note: () => undefined };
  const base = join(folder, 'base');
  const options = {
    image,
    folder: base,
    contextFile: bench.context,
    platform: 'linux/amd64',
    insecure: true,
  };
  const outcome: unknown = await bringBase(deps, options).catch((error: unknown) => error);
  return { outcome, asked, base };
};
const digest = ([word]: readonly string[]) => (word === 'digest' ? { stdout: `${DIGEST}\n` } : {});

test('the image of this platform is pulled, and a Dockerfile names it by digest', async () => {
  const { outcome, asked, base } = await bring('r.example:5000/sless-runtime-python3.11:v1', digest);
  const named = `r.example:5000/sless-runtime-python3.11@${DIGEST}`;
  expect(outcome).toBe(named);
  expect(asked).toEqual([
    ['digest', '--platform=linux/amd64', 'r.example:5000/sless-runtime-python3.11:v1', '--insecure'],
    ['pull', '--format=tarball', named, join(base, DIGEST), '--insecure'],
  ]);
  expect(await readdir(base)).toEqual(['Dockerfile']);
  const [first, second, ...rest] = (await readFile(join(base, 'Dockerfile'), 'utf8')).split('\n');
  expect([first, second]).toEqual([`ARG RUNTIME_IMAGE=${named}`, `FROM \${RUNTIME_IMAGE}`]);
  expect(rest.join('\n')).toContain('COPY --chown=65532:65532 function/ /app/function/\nRUN pip install');
});

test('an image that is asked for by digest keeps its name', async () => {
  const { outcome } = await bring(`r.example:5000/base@sha256:${'b'.repeat(64)}`, digest);
  expect(outcome).toBe(`r.example:5000/base@${DIGEST}`);
});

test('a runtime image that is not there, and a login that is refused, are told at once', async () => {
  const absent = await bring('r/base:v1', () => ({
    exitCode: 1,
    lastLines: ['Error: MANIFEST_UNKNOWN: no'],
  }));
  expect(absent.outcome).toMatchObject({ code: 'BuilderUnavailable' });
  expect(absent.asked).toHaveLength(1);
  const refused = await bring('r/base:v1', () => ({ exitCode: 1, lastLines: ['Error: UNAUTHORIZED: no'] }));
  expect(refused.outcome).toMatchObject({ code: 'RegistryRefused' });
});
