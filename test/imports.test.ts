import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { expect, test } from 'vitest';

const SRC = resolve(import.meta.dirname, '../src');

/** What a folder of src may import beside itself, errors.ts, zod and node:*. `*` is every folder but bin. */
interface Arrows {
  readonly folders: readonly string[];
  readonly packages: readonly string[];
}

const KINDS = [
  'resources/kube',
  'resources/function',
  'resources/trigger',
  'resources/function-job',
  'resources/tenant',
];

const ALLOWED: Readonly<Record<string, Arrows>> = {
  'errors.ts': { folders: [], packages: [] },
  'resources/kube': { folders: [], packages: [] },
  'resources/function': { folders: ['resources/kube', 'runtimes'], packages: [] },
  'resources/trigger': { folders: ['resources/kube'], packages: [] },
  // A run is the function's image with the function's environment: it is made from what makes its server.
  'resources/function-job': { folders: ['resources/kube', 'resources/function', 'runtimes'], packages: [] },
  'resources/tenant': { folders: ['resources/kube'], packages: [] },
  resources: { folders: [...KINDS, 'runtimes'], packages: [] },
  runtimes: { folders: [], packages: [] },
  source: { folders: ['runtimes'], packages: ['yauzl', 'tar-stream'] },
  ports: { folders: ['resources', ...KINDS], packages: [] },
  listener: { folders: [], packages: [] },
  upstream: { folders: [], packages: [] },
  adapters: {
    folders: ['ports', 'resources', 'resources/kube', 'upstream'],
    packages: ['@aws-sdk', 'pg', 'node-pg-migrate', '@kubernetes/client-node', 'amqplib', 'undici'],
  },
  operator: {
    folders: ['resources', ...KINDS, 'runtimes', 'ports', 'listener'],
    packages: ['hono', '@hono', 'yaml'],
  },
  'gateway/caller': { folders: [], packages: [] },
  'gateway/auth': { folders: ['ports'], packages: ['jose'] },
  'gateway/proxy': {
    folders: ['resources/kube', 'ports', 'upstream', 'gateway/caller', 'gateway/entrance', 'gateway/rate'],
    packages: [],
  },
  // What it refuses, it refuses as api and proxy do.
  'gateway/assets': { folders: [], packages: ['hono'] },
  'gateway/rate': { folders: [], packages: [] },
  'gateway/entrance': { folders: ['gateway/api', 'gateway/caller', 'gateway/proxy'], packages: ['@hono'] },
  'gateway/logs': { folders: ['resources/kube', 'ports'], packages: [] },
  'gateway/internal': {
    folders: ['resources/kube', 'resources/function', 'ports', 'gateway/api', 'gateway/auth'],
    packages: ['hono', '@hono'],
  },
  'gateway/api': {
    folders: [
      'resources',
      ...KINDS,
      'review',
      'source',
      'runtimes',
      'ports',
      'gateway/assets',
      'gateway/auth',
      'gateway/caller',
      'gateway/logs',
      'gateway/rate',
    ],
    packages: ['hono', '@hono', '@fastify/busboy'],
  },
  'gateway/console': {
    folders: ['ports', 'runtimes', 'gateway/api', 'gateway/assets', 'gateway/auth'],
    packages: ['hono', '@hono', 'jose', 'openid-client', 'fflate', 'eventsource-parser'],
  },
  reporter: {
    folders: ['resources', 'resources/kube', 'resources/function', 'resources/trigger', 'ports'],
    packages: ['uuid'],
  },
  dispatcher: { folders: ['resources', 'resources/kube', 'resources/trigger', 'ports'], packages: [] },
  review: { folders: ['ports'], packages: [] },
  invocations: { folders: ['ports'], packages: [] },
  gc: { folders: ['resources', ...KINDS, 'ports'], packages: [] },
  rebuild: { folders: ['resources', ...KINDS, 'ports'], packages: [] },
  'secret-copies': { folders: ['resources', 'resources/kube', 'ports'], packages: [] },
  telemetry: { folders: ['ports'], packages: ['pino', 'prom-client', '@opentelemetry'] },
  config: { folders: ['runtimes'], packages: [] },
  registry: { folders: ['source', 'runtimes'], packages: ['tar-stream'] },
  certificate: { folders: ['ports'], packages: ['@peculiar/x509', 'reflect-metadata'] },
  preflight: { folders: ['resources', ...KINDS, 'runtimes', 'ports'], packages: ['yaml'] },
  fetch: { folders: ['source', 'ports', 'runtimes'], packages: [] },
  local: {
    folders: ['*'],
    packages: ['hono', '@hono', 'jose', 'yaml', 'fflate', 'commander', 'croner', 'pino'],
  },
  cli: { folders: [], packages: ['commander', 'fflate', 'ignore', 'yaml', 'eventsource-parser'] },
  codegen: { folders: ['*'], packages: ['yaml'] },
  bin: { folders: ['*'], packages: ['@hono', 'commander'] },
};

interface Import {
  readonly from: string;
  /** A file of src, or the name of a package. */
  readonly to: string;
}

const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter(
  (name) => name.endsWith('.ts') && !name.endsWith('.test.ts'),
);

const importsOf = (file: string): Import[] =>
  [...readFileSync(join(SRC, file), 'utf8').matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g)]
    .map((match) => match[1] ?? '')
    .map((to) => ({ from: file, to: to.startsWith('.') ? join(dirname(file), to) : to }));

/** The longest line of the table that a file falls under. */
const lineOf = (file: string): string =>
  Object.keys(ALLOWED)
    .filter((known) => file === known || file.startsWith(`${known}/`))
    .sort((a, b) => a.length - b.length)
    .at(-1) ?? file;

const isAllowed = ({ from, to }: Import): boolean => {
  const line = lineOf(from);
  const allowed = ALLOWED[line] ?? { folders: [], packages: [] };
  if (!to.endsWith('.ts')) {
    return /^(node:|zod$)/.test(to) || allowed.packages.some((name) => `${to}/`.startsWith(`${name}/`));
  }
  const target = lineOf(to);
  if (target === line || target === 'errors.ts') return true;
  return allowed.folders.includes(target) || (allowed.folders.includes('*') && target !== 'bin');
};

test('every import follows the table of allowed arrows', () => {
  const wrong = files.flatMap(importsOf).filter((arrow) => !isAllowed(arrow));
  expect(wrong.map(({ from, to }) => `${from} → ${to}`)).toEqual([]);
});

test('no file imports itself over others', () => {
  const graph = new Map(files.map((file) => [file, importsOf(file).map(({ to }) => to)]));
  const done = new Set<string>();
  const visit = (file: string, path: readonly string[]): void => {
    if (path.includes(file)) throw new Error([...path, file].join(' → '));
    if (done.has(file)) return;
    for (const next of graph.get(file) ?? []) visit(next, [...path, file]);
    done.add(file);
  };
  for (const file of files) expect(() => visit(file, [])).not.toThrow();
});
