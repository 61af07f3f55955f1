import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { extname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { SlessError } from '../../errors.ts';
import { BASE } from './base-path.ts';
import type { ConsoleApp } from './deps.ts';

const HERE = join(import.meta.dirname, 'assets');
const packaged = createRequire(import.meta.url);

/** A file of a library, as it was published. Found by hand: not every package exports what browsers need. */
function ofPackage(name: string, path: string): string {
  const folders = packaged.resolve.paths(name) ?? [];
  const found = folders.map((folder) => join(folder, name, path)).find((file) => existsSync(file));
  if (found === undefined) throw new Error(`${name} is not installed: ${path} is missing`);
  return found;
}

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
function files(): Readonly<Record<string, string>> {
  const parser = (name: string) => ofPackage('eventsource-parser', `dist/${name}.js`);
  return {
    ...Object.fromEntries(OWN.map((name) => [name, join(HERE, name)])),
    'lib/highlight.js': ofPackage('@highlightjs/cdn-assets', 'es/highlight.min.js'),
    'lib/fflate.js': ofPackage('fflate', 'esm/browser.js'),
    'lib/eventsource-parser/index.js': parser('index'),
    'lib/eventsource-parser/parse.js': parser('parse'),
    'lib/eventsource-parser/errors.js': parser('errors'),
  };
}

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

interface Asset {
  readonly type: string;
  readonly plain: Buffer<ArrayBuffer>;
  readonly zipped: Buffer<ArrayBuffer>;
}

/** What the pages load. */
export interface Assets {
  /** The address of a file. It changes with any of them, so that browsers may keep it for good. */
  url(name: string): string;
  register(app: ConsoleApp): void;
}

/** A year: the address is another one when the content is. */
const FOR_GOOD = 'public, max-age=31536000, immutable';

/** Reads all of them, some 300 KB, once. */
export function loadAssets(): Assets {
  const assets = new Map(Object.entries(files()).map(([name, path]) => [name, readAsset(path)]));
  const digest = createHash('sha256');
  for (const { plain } of assets.values()) digest.update(plain);
  const base = `${BASE}/-/assets/${digest.digest('hex').slice(0, 12)}`;
  return {
    url: (name) => `${base}/${name}`,
    register: (app) => {
      app.get(`${BASE}/-/assets/:version/:name{.+}`, (c) => {
        const asset = assets.get(c.req.param('name'));
        if (asset === undefined) throw new SlessError('NotFound', `there is nothing at ${c.req.path}`);
        const zips = /\bgzip\b/.test(c.req.header('accept-encoding') ?? '');
        return c.body(zips ? asset.zipped : asset.plain, 200, {
          'content-type': asset.type,
          'cache-control': FOR_GOOD,
          vary: 'accept-encoding',
          ...(zips ? { 'content-encoding': 'gzip' } : {}),
        });
      });
    },
  };
}

function readAsset(path: string): Asset {
  const plain = readFileSync(path);
  return { type: TYPES[extname(path)] ?? 'application/octet-stream', plain, zipped: gzipSync(plain) };
}
