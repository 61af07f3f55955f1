import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { zipSync } from 'fflate';
import { expect, vi } from 'vitest';
import { ADMIN_AUDIENCE, openTokens } from '../../src/local/identity/tokens.ts';
import { runnableRuntimes } from '../../src/local/runnable.ts';
import type { KubeObject } from '../../src/resources/kube/object.ts';
import { loadRuntimes } from '../../src/runtimes/catalogue.ts';
import { leaks, secretsOf, signatureOf } from '../secrets/forms.ts';

const HOME = resolve(import.meta.dirname, '../..');

/** How a process ended. */
interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** An answer of the api with its JSON. */
export interface Answer {
  readonly status: number;
  // What is looked at depends on the route; a wrong guess fails the test.
  // biome-ignore lint/suspicious/noExplicitAny: see above
  readonly json: any;
}

/** A `sless local` that runs as a process of its own, and its only user. */
export interface Sless {
  readonly pid: number;
  readonly endpoint: string;
  readonly token: string;
  readonly namespace: string;
  /** All that it has printed so far. */
  output(): string;
  api(method: string, path: string, body?: object | FormData, token?: string): Promise<Answer>;
  /** Waits until it has printed that. */
  printed(pattern: RegExp): Promise<RegExpMatchArray>;
  kill(signal: NodeJS.Signals): Promise<Ended>;
}

const running = new Set<ChildProcess>();
const folders: string[] = [];
/** Looks through what each has printed for the secrets that it was given, or has made. */
const lookings: (() => readonly string[])[] = [];

export async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'sless-local-'));
  folders.push(folder);
  return folder;
}

/** Ends what tests left running and removes their folders. Nothing that was printed may hold a secret. */
export async function cleanUp(): Promise<void> {
  for (const child of running) {
    child.kill('SIGKILL');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  }
  await vi.waitFor(() => {
    if (folders.some((folder) => processesOf(folder).length > 0)) throw new Error('processes are left');
  }, 5000);
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true });
  expect(
    lookings.splice(0).flatMap((look) => look()),
    'secrets in what was printed',
  ).toEqual([]);
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Runs `sless local` with arguments to its end. */
export async function command(
  folder: string,
  args: readonly string[],
  env: Environment = {},
): Promise<Ended & { out: string; err: string }> {
  const child = launch(folder, args, env);
  let [out, err] = ['', ''];
  child.stdout?.on('data', (chunk) => {
    out += chunk;
  });
  child.stderr?.on('data', (chunk) => {
    err += chunk;
  });
  const [code, signal] = await once(child, 'close');
  return { code, signal, out, err };
}

function launch(folder: string, args: readonly string[], env: Environment): ChildProcess {
  const child = spawn(process.execPath, ['src/bin/sless.ts', 'local', ...args], {
    cwd: HOME,
    env: { ...process.env, PORT: '0', SLESS_DIR: folder, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.add(child);
  child.on('exit', () => running.delete(child));
  return child;
}

/** Starts it and waits until it says that it is ready. */
export async function startSless(folder: string, env: Environment = {}): Promise<Sless> {
  const child = launch(folder, [], env);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk) => {
      output += chunk;
    });
  }
  const ended = once(child, 'exit').then(([code, signal]) => ({ code, signal }) as Ended);
  const printed = (pattern: RegExp) =>
    vi.waitFor(
      () => {
        const match = pattern.exec(output);
        if (match === null) throw new Error(`no ${pattern} in:\n${output}`);
        return match;
      },
      { timeout: 20_000, interval: 5 },
    );
  const [, endpoint = ''] = await printed(/^sless ready (http:\S+)$/m);
  const [token, namespace] = await Promise.all(
    ['token', 'namespace'].map((name) => readFile(join(folder, name), 'utf8')),
  );
  const secrets = { ...secretsOf(env), token: signatureOf(token ?? '') };
  lookings.push(() => leaks(output, secrets));
  return {
    pid: child.pid ?? 0,
    endpoint,
    token: token ?? '',
    namespace: namespace ?? '',
    output: () => output,
    printed,
    api: (method, path, body, bearer = token) => callApi(`${endpoint}${path}`, { method, body, bearer }),
    kill: (signal) => {
      child.kill(signal);
      return ended;
    },
  };
}

interface ApiCall {
  readonly method: string;
  readonly body: object | FormData | undefined;
  readonly bearer: string | undefined;
}

async function callApi(url: string, { method, body, bearer }: ApiCall): Promise<Answer> {
  const form = body instanceof FormData;
  const response = await fetch(url, {
    method,
    headers: {
      ...(bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }),
      ...(body === undefined || form ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: form ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, json: text === '' ? undefined : JSON.parse(text) };
}

/** All objects of a kind and of all namespaces, as an administrator sees them. */
export async function objects(
  { endpoint }: Sless,
  folder: string,
  kind: string,
): Promise<readonly KubeObject[]> {
  const tokens = await openTokens(join(folder, 'key.json'), Date);
  const bearer = await tokens.mint('local', { seconds: 60, audience: ADMIN_AUDIENCE });
  const { json } = await callApi(`${endpoint}/local/objects/${kind}`, {
    method: 'GET',
    body: undefined,
    bearer,
  });
  return json.items;
}

/** The form of an upload of these files. */
export function uploadForm(files: Readonly<Record<string, string>>): FormData {
  const bytes = zipSync(
    Object.fromEntries(Object.entries(files).map(([name, text]) => [name, Buffer.from(text)])),
  );
  const form = new FormData();
  form.set('code', new Blob([bytes]), 'code.zip');
  return form;
}

/** Pids of all living processes that have to do with a folder: by what they run or where they run. Linux only. */
export function processesOf(folder: string): number[] {
  if (process.platform !== 'linux') return [];
  const mentions = (pid: string): boolean =>
    ['cmdline', 'environ'].some((file) => {
      try {
        return readFileSync(`/proc/${pid}/${file}`, 'utf8').includes(folder);
      } catch {
        return false;
      }
    });
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid && mentions(name))
    .map(Number);
}

const { missing } = await runnableRuntimes(loadRuntimes(join(HOME, 'runtimes')), process.env);

/** Whether Python functions can run here; says so aloud when they cannot. */
export function hasPython(): boolean {
  const python = missing.find(({ name }) => name === 'python3.11');
  if (python !== undefined) console.warn(`SKIPPED: functions in Python (${python.local.missing})`);
  return python === undefined;
}
