import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { buildHome } from './home.ts';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'sless-home-'));
});
afterEach(() => rmSync(home, { recursive: true }));

test('HOME is the build’s own; the settings of npm, and both caches, are the user’s', () => {
  expect(buildHome('/build/home', { HOME: home })).toEqual({
    HOME: '/build/home',
    npm_config_userconfig: join(home, '.npmrc'),
    npm_config_cache: join(home, '.npm'),
    PIP_CACHE_DIR: join(home, '.cache/pip'),
    NETRC: join(home, '.netrc'),
  });
});

test('files of settings that are there are named, and a cache that one of them names is left to it', () => {
  mkdirSync(join(home, '.config/pip'), { recursive: true });
  writeFileSync(join(home, '.config/pip/pip.conf'), '[global]\ncache-dir = /elsewhere\n');
  writeFileSync(join(home, '.npmrc'), 'registry=https://registry.example/\ncache = /elsewhere\n');
  writeFileSync(join(home, '.gitconfig'), '');
  expect(buildHome('/build/home', { HOME: home })).toEqual({
    HOME: '/build/home',
    npm_config_userconfig: join(home, '.npmrc'),
    PIP_CONFIG_FILE: join(home, '.config/pip/pip.conf'),
    NETRC: join(home, '.netrc'),
    GIT_CONFIG_GLOBAL: join(home, '.gitconfig'),
  });
});

test('what the user’s variables say stays, in whatever case, and without a HOME there is nothing to tell of', () => {
  const set = {
    HOME: home,
    NPM_CONFIG_USERCONFIG: '/a',
    npm_config_cache: '/b',
    PIP_CACHE_DIR: '/c',
    NETRC: '/d',
  };
  expect(buildHome('/build/home', set)).toEqual({ HOME: '/build/home' });
  expect(buildHome('/build/home', {})).toEqual({ HOME: '/build/home' });
});
