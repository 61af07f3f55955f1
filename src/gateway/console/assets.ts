import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SlessError } from '../../errors.ts';
import { createAsset, FOR_GOOD, readPackaged, sendAsset, versionOf } from '../assets/asset.ts';
import { BASE } from './base-path.ts';
import type { ConsoleApp } from './deps.ts';

const HERE = join(import.meta.dirname, 'assets');

/** Our own modules; each is a file of `assets/`. */
const OWN = [
  'console.css',
  'code.css',
  'icon.svg',
  'main.js',
  'rest.js',
  'live.js',
  'actions.js',
  'toast.js',
  'copy.js',
  'theme.js',
  'list.js',
  'logs.js',
  'call.js',
  'code.js',
  'upload.js',
  'forms.js',
];

/** Every file that browsers may ask for, by the name they know it by. Whatever is not on this list does not exist. */
function files(): Readonly<Record<string, Buffer>> {
  const parser = (name: string) => readPackaged('eventsource-parser', `dist/${name}.js`);
  return {
    ...Object.fromEntries(OWN.map((name) => [name, readFileSync(join(HERE, name))])),
    'lib/highlight.js': readPackaged('@highlightjs/cdn-assets', 'es/highlight.min.js'),
    'lib/fflate.js': readPackaged('fflate', 'esm/browser.js'),
    'lib/eventsource-parser/index.js': parser('index'),
    'lib/eventsource-parser/parse.js': parser('parse'),
    'lib/eventsource-parser/errors.js': parser('errors'),
  };
}

/** What the pages load. */
export interface Assets {
  /** The address of a file. It changes with any of them, so that browsers may keep it for good. */
  url(name: string): string;
  register(app: ConsoleApp): void;
}

/** Reads all of them, some 300 KB, once. */
export function loadAssets(): Assets {
  const assets = new Map(Object.entries(files()).map(([name, bytes]) => [name, createAsset(name, bytes)]));
  const base = `${BASE}/-/assets/${versionOf(assets.values())}`;
  return {
    url: (name) => `${base}/${name}`,
    register: (app) => {
      app.get(`${BASE}/-/assets/:version/:name{.+}`, (c) => {
        const asset = assets.get(c.req.param('name'));
        if (asset === undefined) throw new SlessError('NotFound', `there is nothing at ${c.req.path}`);
        return sendAsset(c, asset, FOR_GOOD);
      });
    },
  };
}
