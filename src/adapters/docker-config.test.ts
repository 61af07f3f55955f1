import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { dockerLogin } from './docker-config.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sless-docker-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const file = async (content: unknown): Promise<string> => {
  const path = join(folder, 'config.json');
  await writeFile(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
};
const auth = btoa('u:p:q');

test.each([
  ['a host', { 'r.example:5000': { auth } }, 'r.example:5000'],
  ['a URL', { 'https://r.example/v1/': { auth } }, 'r.example'],
  ['docker.io under its old name', { 'https://index.docker.io/v1/': { auth } }, 'docker.io'],
  ['name and password apart', { 'r.example': { username: 'u', password: 'p:q' } }, 'r.example'],
])('finds the login by %s', async (_, auths, host) => {
  expect(await dockerLogin(await file({ auths }), host)).toEqual({ username: 'u', password: 'p:q' });
});

test('a registry that is not in the file has no login', async () => {
  expect(
    await dockerLogin(await file({ auths: { 'other.example': { auth } } }), 'r.example'),
  ).toBeUndefined();
  expect(await dockerLogin(await file({}), 'r.example')).toBeUndefined();
});

test('a damaged file is named, and not quoted', async () => {
  const path = await file('{"auths": {"r": {"auth": "c2VjcmV0"');
  const error = await dockerLogin(path, 'r').catch((reason: Error) => reason);
  expect(error).toMatchObject({ message: `${path} is no JSON` });
});
