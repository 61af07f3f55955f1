import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  contextsPath,
  keepContext,
  namespaceOfToken,
  readContexts,
  targetOf,
  useContext,
} from './contexts.ts';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'sless-cli-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const tokenOf = (claims: object) => `e30.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.x`;
const alice = tokenOf({ sub: 'alice' });
const place = (env: Record<string, string> = {}) => ({ home, env, cwd: home });
const context = (name: string, endpoint = `https://${name}.example`) => ({ name, endpoint, token: alice });

describe('the file of contexts', () => {
  test("is this user's alone, also when it was there before, and holds the newest of a name", () => {
    keepContext(place(), context('a'));
    keepContext(place(), context('b'));
    keepContext(place(), context('a', 'https://moved.example'));
    expect(statSync(contextsPath(place())).mode & 0o777).toBe(0o600);
    expect(readContexts(place())).toEqual({
      current: 'a',
      contexts: [context('b'), context('a', 'https://moved.example')],
    });
    useContext(place(), 'b');
    expect(readContexts(place()).current).toBe('b');
    expect(() => useContext(place(), 'c')).toThrow('there is no context "c" (known: b, a)');
  });

  test.each(['[', 'contexts: 7', 'contexts: [{name: a}]'])(
    'that is damaged is named and not quoted: %s',
    (content) => {
      const path = contextsPath(place());
      mkdirSync(join(home, '.config/sless'), { recursive: true });
      writeFileSync(path, `${content} # secret-token`);
      expect(() => readContexts(place())).toThrow(path);
      expect(() => readContexts(place())).not.toThrow(/secret-token/);
      expect(readFileSync(path, 'utf8')).toContain(content);
    },
  );
});

describe('where a command goes', () => {
  const namespace = namespaceOfToken(alice);
  test('--context, then the environment, then the current context, then a local platform around this folder', () => {
    expect(() => targetOf(place(), {})).toThrow(/not logged in/);
    mkdirSync(join(home, '.sless'));
    writeFileSync(
      join(home, '.sless/env'),
      `SLESS_ENDPOINT=http://127.0.0.1:8080\nSLESS_API_TOKEN=${alice}\n`,
    );
    const below = { ...place(), cwd: join(home, 'some/project') };
    expect(targetOf(below, {})).toEqual({ endpoint: 'http://127.0.0.1:8080', token: alice, namespace });
    keepContext(place(), context('a', 'https://a.example/'));
    expect(targetOf(place(), {}).endpoint).toBe('https://a.example');
    const env = { SLESS_ENDPOINT: 'https://env.example', SLESS_API_TOKEN: tokenOf({ sub: 'bob' }) };
    expect(targetOf(place(env), {})).toMatchObject({ endpoint: 'https://env.example' });
    expect(targetOf(place(env), { context: 'a', namespace: 'team' })).toMatchObject({
      endpoint: 'https://a.example',
      namespace: 'team',
    });
  });

  test("the namespace is the token's own, as the api reckons it", () => {
    expect(namespaceOfToken(tokenOf({ sub: 'local' }))).toBe('sless-25bf8e1a2393f110');
    for (const token of ['x', 'a.b.c', tokenOf({}), tokenOf({ sub: 7 })])
      expect(() => namespaceOfToken(token)).toThrow('--namespace');
  });
});
