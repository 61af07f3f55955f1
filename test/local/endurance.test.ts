import { once } from 'node:events';
import { mkdtempSync, readdirSync, symlinkSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import {
  cleanUp,
  command,
  hasPython,
  newFolder,
  objects,
  processesOf,
  type Sless,
  startSless,
  uploadForm,
} from './sless.ts';

// Some start sless twice and a dozen commands, on a machine that runs other tests beside.
vi.setConfig({ testTimeout: 120_000 });
afterEach(cleanUp);

const until = <T>(check: () => Promise<T> | T) => vi.waitFor(check, { timeout: 20_000, interval: 10 });
const base = ({ namespace }: Sless) => `/v1/namespaces/${namespace}`;
const show = async (sless: Sless, name: string) =>
  (await sless.api('GET', `${base(sless)}/functions/${name}`)).json;
const ready = (sless: Sless, name: string) =>
  until(async () => {
    const shown = await show(sless, name);
    expect(shown).toMatchObject({ phase: 'Ready' });
    return shown;
  });
const call = async (sless: Sless, name: string) => {
  const response = await fetch(`${sless.endpoint}/fn/${sless.namespace}/${name}`);
  return { status: response.status, text: await response.text() };
};
const handler = (text: string) => ({
  'handler.mjs': `export const handle = () => ({ says: ${JSON.stringify(text)} });`,
});

/** A function with a trigger, and code where it is given. */
async function declare(sless: Sless, name: string, files?: Readonly<Record<string, string>>): Promise<void> {
  await sless.api('POST', `${base(sless)}/ensure`);
  await sless.api('POST', `${base(sless)}/functions`, { name, runtime: 'nodejs20' });
  await sless.api('POST', `${base(sless)}/triggers`, { name, type: 'http', function: name });
  if (files === undefined) return;
  const answer = await sless.api('POST', `${base(sless)}/functions/${name}/upload`, uploadForm(files));
  expect(answer).toMatchObject({ status: 200 });
}

const images = async (folder: string) =>
  (await readdir(join(folder, 'images'))).filter((name) => name !== 'tags').sort();
const jobs = async (sless: Sless, folder: string) =>
  (await objects(sless, folder, 'job')).map(({ metadata }) => metadata.uid);
const without = (folder: string) => until(() => expect(processesOf(folder)).toEqual([]));

test('Ctrl-C ends everything in order; the next start has all of it again', async () => {
  const folder = await newFolder();
  const first = await startSless(folder);
  await first.printed(/^sample hello-node \S+ 200 \d+$/m);
  await declare(first, 'kept', handler('kept'));
  const before = await ready(first, 'kept');
  expect(processesOf(folder).length).toBeGreaterThan(2);
  expect(await first.kill('SIGINT')).toEqual({ code: 0, signal: null });
  expect(processesOf(folder)).toEqual([]);
  expect((await readdir(folder)).filter((name) => ['pid', 'lock'].includes(name))).toEqual([]);

  const second = await startSless(folder);
  expect(second.namespace).toBe(first.namespace);
  expect(await call(second, 'kept')).toEqual({ status: 200, text: '{"says":"kept"}' });
  expect(await show(second, 'kept')).toMatchObject({
    phase: 'Ready',
    image: before.image,
    last_built_at: before.last_built_at,
  });
  expect(await second.api('GET', `${base(second)}/functions/kept`, undefined, first.token)).toMatchObject({
    status: 200,
  });
  await second.printed(/^sample hello-node \S+ 200 \d+$/m);
  expect(await second.kill('SIGTERM')).toEqual({ code: 0, signal: null });
  expect(processesOf(folder)).toEqual([]);
});

test('a call under way is answered before Ctrl-C ends its function', async () => {
  const sless = await startSless(await newFolder());
  await declare(sless, 'slow', {
    'handler.mjs':
      'export const handle = () => new Promise((done) => setTimeout(done, 1000, { late: true }));',
  });
  await ready(sless, 'slow');
  const pending = call(sless, 'slow');
  await until(async () => {
    const metrics = await sless.api('GET', `${base(sless)}/functions/slow`);
    expect(metrics.status).toBe(200);
  });
  const ended = sless.kill('SIGINT');
  expect(await pending).toEqual({ status: 200, text: '{"late":true}' });
  expect(await ended).toEqual({ code: 0, signal: null });
});

test('kill -9 ends all functions within two seconds, and the next start serves them again', async () => {
  const folder = await newFolder();
  const first = await startSless(folder);
  await declare(first, 'kept', handler('kept'));
  const before = await ready(first, 'kept');
  await first.kill('SIGKILL');
  const killed = performance.now();
  await without(folder);
  expect(performance.now() - killed).toBeLessThan(2000);
  const second = await startSless(folder);
  expect(await call(second, 'kept')).toEqual({ status: 200, text: '{"says":"kept"}' });
  expect((await show(second, 'kept')).image).toBe(before.image);
});

test('kill -9 in the middle of a build: the same Job is carried on to the same one image', async () => {
  const folder = await newFolder();
  const gate = mkdtempSync(join(tmpdir(), 'sless-gate-'));
  const waits = `require('node:fs').appendFileSync(${JSON.stringify(join(gate, 'begun'))}, 'x');
    const wait = () => require('node:fs').existsSync(${JSON.stringify(join(gate, 'open'))}) || setTimeout(wait, 20); wait();`;
  const first = await startSless(folder);
  await declare(first, 'built', {
    ...handler('built'),
    'install.cjs': waits,
    'package.json': JSON.stringify({
      name: 'built',
      version: '1.0.0',
      scripts: { preinstall: 'node install.cjs' },
    }),
  });
  await until(() => stat(join(gate, 'begun')));
  expect(await show(first, 'built')).toMatchObject({ phase: 'Building' });
  const [jobBefore, imagesBefore] = [
    await jobs(first, folder),
    (await images(folder)).filter((name) => !name.endsWith('.tmp')),
  ];
  expect(jobBefore).toHaveLength(1);
  await first.kill('SIGKILL');
  await without(folder);

  const second = await startSless(folder);
  await until(async () => expect(await readFile(join(gate, 'begun'), 'utf8')).toBe('xx'));
  expect(await jobs(second, folder)).toEqual(jobBefore);
  await mkdir(join(gate, 'open'));
  await ready(second, 'built');
  await until(async () =>
    expect(await call(second, 'built')).toEqual({ status: 200, text: '{"says":"built"}' }),
  );
  const made = (await images(folder)).filter((name) => !imagesBefore.includes(name));
  expect(made).toHaveLength(1);
  expect((await show(second, 'built')).image).toContain(made[0]);
  expect((await second.api('GET', `${base(second)}/functions/built/versions`)).json.items).toHaveLength(1);
  await rm(gate, { recursive: true });
});

test('kill -9 in the middle of an upload: nothing of it is left, and the version before serves on', async () => {
  const folder = await newFolder();
  const first = await startSless(folder);
  await declare(first, 'fed', handler('before'));
  const before = await ready(first, 'fed');
  // The samples are uploaded meanwhile: what is theirs comes and goes as well.
  for (const sample of ['node', ...(hasPython() ? ['python'] : [])])
    await first.printed(new RegExp(`^sample hello-${sample} \\S+ 200 \\d+$`, 'm'));
  const stored = async () => readdirSync(join(folder, 'objects'), { recursive: true }).sort();
  const storedBefore = await stored();
  const port = Number(new URL(first.endpoint).port);
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  await once(socket, 'connect');
  socket.write(
    `POST ${base(first)}/functions/fed/upload HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${first.token}\r\n` +
      'Content-Type: multipart/form-data; boundary=B\r\nContent-Length: 1000000\r\n\r\n' +
      `--B\r\nContent-Disposition: form-data; name="code"; filename="c.zip"\r\n\r\n${'x'.repeat(300_000)}`,
  );
  await until(async () => expect((await readdir(join(folder, 'tmp'))).length).toBeGreaterThan(0));
  await first.kill('SIGKILL');
  socket.destroy();
  await without(folder);

  const second = await startSless(folder);
  expect(await stored()).toEqual(storedBefore);
  expect(await show(second, 'fed')).toMatchObject({ phase: 'Ready', s3_key: before.s3_key });
  expect(await call(second, 'fed')).toEqual({ status: 200, text: '{"says":"before"}' });
  await declare(second, 'fed', handler('after'));
  await until(async () =>
    expect(await call(second, 'fed')).toEqual({ status: 200, text: '{"says":"after"}' }),
  );
});

test('a second start in the same folder is refused and names the pid; the first one serves on', async () => {
  const folder = await newFolder();
  const first = await startSless(folder);
  expect((await readFile(join(folder, 'pid'), 'utf8')).trim()).toBe(String(first.pid));
  const second = await command(folder, []);
  expect(second).toMatchObject({ code: 1, out: '' });
  expect(second.err).toContain(`pid ${first.pid}`);
  expect(second.err.trim().split('\n')).toHaveLength(1);
  expect(await first.api('GET', '/readyz').catch(() => undefined)).toBeUndefined(); // not JSON: it is "ok"
  expect((await fetch(`${first.endpoint}/readyz`)).status).toBe(200);
});

test('a port that is taken is named, and a folder whose sless was killed can be started in', async () => {
  const [one, other] = [await newFolder(), await newFolder()];
  const first = await startSless(one);
  const refused = await command(other, [], { PORT: new URL(first.endpoint).port, METRICS_PORT: '0' });
  expect(refused).toMatchObject({ code: 1 });
  expect(refused.err).toContain(new URL(first.endpoint).port);
  await startSless(other);
});

test('a sample that its user deleted does not come back', async () => {
  const folder = await newFolder();
  const first = await startSless(folder);
  await first.printed(/^sample hello-node \S+ 200 \d+$/m);
  await until(async () =>
    expect((await first.api('DELETE', `${base(first)}/functions/hello-node`)).status).toBeLessThan(300),
  );
  await first.kill('SIGINT');
  const second = await startSless(folder);
  expect(await second.api('GET', `${base(second)}/functions/hello-node`)).toMatchObject({ status: 404 });
  await second.kill('SIGINT');
  expect(second.output()).not.toContain('hello-node');
});

test('without Python its runtime and its sample are left out aloud', async () => {
  const path = mkdtempSync(join(tmpdir(), 'sless-path-'));
  symlinkSync(process.execPath, join(path, 'node'));
  for (const name of ['sh', 'ps']) symlinkSync(`/bin/${name}`, join(path, name));
  const sless = await startSless(await newFolder(), { PATH: path });
  await sless.printed(/^python3\.11 is left out: .*python3\.11/m);
  await sless.printed(/^sample hello-node \S+ 200 \d+$/m);
  expect(sless.output()).not.toContain('sample hello-python');
  await rm(path, { recursive: true });
});

test('files for the user are as promised: modes, contents, another tenant', async () => {
  const folder = await newFolder();
  const sless = await startSless(folder);
  const mode = async (name: string) => ((await stat(join(folder, name))).mode & 0o777).toString(8);
  expect(await Promise.all(['token', 'env', 'key.json', 'state.db'].map(mode))).toEqual([
    '600',
    '600',
    '600',
    '600',
  ]);
  expect(await readFile(join(folder, 'env'), 'utf8')).toBe(
    `SLESS_ENDPOINT=${sless.endpoint}\nSLESS_API_TOKEN=${sless.token}\nSLESS_NAMESPACE=${sless.namespace}\n`,
  );
  const claims = JSON.parse(Buffer.from(sless.token.split('.')[1] ?? '', 'base64url').toString());
  expect(claims.sub).toBe('local');
  expect(claims.exp - claims.iat).toBe(30 * 24 * 3600);
  const { out, code } = await command(folder, ['token', 'someone']);
  expect(code).toBe(0);
  const token = out.trim();
  expect(await sless.api('GET', `${base(sless)}/functions`, undefined, token)).toMatchObject({ status: 403 });
  const metricsPort = Number(new URL(sless.endpoint).port);
  expect(metricsPort).toBeGreaterThan(0);
});

test('apply, get and delete stand in for kubectl', async () => {
  const folder = await newFolder();
  const sless = await startSless(folder);
  await declare(sless, 'other');
  const file = join(folder, 'objects.yaml');
  await writeFile(
    file,
    `apiVersion: v1
kind: Secret
metadata: { name: fn-greeting }
stringData: { GREETING: good day }
---
apiVersion: sless.dev/v1alpha1
kind: Function
metadata: { name: applied }
spec: { runtime: nodejs20, secrets: [fn-greeting] }
---
apiVersion: sless.dev/v1alpha1
kind: Trigger
metadata: { name: applied }
spec: { type: http, functionRef: applied }
`,
  );
  expect(await command(folder, ['apply', '-f', file])).toMatchObject({
    code: 0,
    out: 'secret/fn-greeting created\nfunction.sless.dev/applied created\ntrigger.sless.dev/applied created\n',
  });
  expect((await command(folder, ['apply', '-f', file])).out).toMatch(/^(\S+ unchanged\n){3}$/);
  // One that REST has made belongs to somebody else, which changes nothing of what is wanted.
  await sless.api('POST', `/v1/namespaces/${sless.namespace}/functions`, {
    name: 'rest',
    runtime: 'nodejs20',
  });
  const asRest = join(folder, 'rest.yaml');
  const fn = (spec: string) =>
    `apiVersion: sless.dev/v1alpha1\nkind: Function\nmetadata: { name: rest }\nspec: ${spec}\n`;
  await writeFile(asRest, fn('{ runtime: nodejs20 }'));
  expect((await command(folder, ['apply', '-f', asRest])).out).toBe('function.sless.dev/rest unchanged\n');
  await writeFile(asRest, fn('{ runtime: nodejs20, replicas: 0 }'));
  expect((await command(folder, ['apply', '-f', asRest])).out).toBe('function.sless.dev/rest configured\n');
  await declare(sless, 'applied', {
    'handler.mjs': 'export const handle = () => ({ says: process.env.GREETING });',
  });
  await until(async () =>
    expect(await call(sless, 'applied')).toEqual({ status: 200, text: '{"says":"good day"}' }),
  );
  const shown = await command(folder, ['get', 'fn', 'applied', '-o', 'yaml']);
  expect(shown.out).toMatch(
    /^apiVersion: sless.dev\/v1alpha1\nkind: Function\nmetadata:\n {2}name: applied\n/,
  );
  expect(shown.out).toMatch(/phase: Ready/);
  expect((await command(folder, ['get', 'function', '-o', 'json'])).out).toContain('"kind": "List"');
  const table = await command(folder, ['get', 'Function.sless.dev/applied']);
  expect(table.out).toMatch(/^NAME +RUNTIME +PHASE +AVAILABLE +IMAGE AGE +MESSAGE\n/);
  expect(table.out).toMatch(/\napplied +nodejs20 +Ready +True +\d+s +ready\n$/);
  expect((await command(folder, ['get', 'functions.sless.dev', '-o', 'name'])).out).toContain(
    'function.sless.dev/applied\n',
  );
  expect((await command(folder, ['get', 'fnjob'])).out).toBe(`no functionjobs in ${sless.namespace}\n`);

  await writeFile(
    join(folder, 'bad.yaml'),
    `apiVersion: sless.dev/v1alpha1
kind: Function
metadata: { name: bad }
spec: { runtime: 3, replcas: 2, timeoutSeconds: 9999 }
---
apiVersion: sless.dev/v1alpha1
kind: Trigger
metadata: { name: good }
spec: { type: http, functionRef: bad }
---
apiVersion: v1
kind: Pod
metadata: { name: theirs }
`,
  );
  const bad = await command(folder, ['apply', '-f', join(folder, 'bad.yaml')]);
  expect(bad).toMatchObject({ code: 1, out: 'trigger.sless.dev/good created\n' });
  const [first, second, ...more] = bad.err.trimEnd().split('\n');
  for (const field of ['spec.runtime: ', 'spec.replcas: ', 'spec.timeoutSeconds: '])
    expect(first?.split(field)).toHaveLength(2);
  expect(second).toContain('a Pod is made by sless itself');
  expect(more).toEqual([]);
  await writeFile(join(folder, 'worse.yaml'), 'kind: Unicorn\n---\nkind: Function\n');
  const worse = await command(folder, ['apply', '-f', join(folder, 'worse.yaml')]);
  expect(worse.err).toMatch(
    /^sless: .*"Unicorn" is none of .*\nsless: .*a Function in it has no metadata.name\n$/,
  );
  expect((await command(folder, ['get', 'fn', 'nothing'])).err).toContain(
    'function.sless.dev/nothing not found',
  );
  expect((await command(folder, ['get', 'unicorns'])).err).toContain(
    'there is no kind "unicorns"; there are: functions or fn, ',
  );
  expect(
    (
      await fetch(`${sless.endpoint}/local/objects/fn`, {
        headers: { authorization: `Bearer ${sless.token}` },
      })
    ).status,
  ).toBe(401);

  expect(await command(folder, ['delete', '-f', file])).toMatchObject({
    code: 0,
    out: 'trigger.sless.dev/applied deleted\nfunction.sless.dev/applied deleted\nsecret/fn-greeting deleted\n',
  });
  await until(async () => expect((await call(sless, 'applied')).status).toBe(404));
  await sless.kill('SIGINT');
  const stopped = await command(folder, ['get', 'fn']);
  expect(stopped).toMatchObject({ code: 1 });
  expect(stopped.err).toContain('npm start');
});
