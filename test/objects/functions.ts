import { type Row, rowsOf } from './row.ts';

const { good, bad, badName, update } = rowsOf('Function', { runtime: 'python3.11' });

const manyVariables = (count: number): Record<string, string> =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`V${index}`, 'x']));

const names: readonly Row[] = [
  ...['port', 'redis', 'node', 'api', 'kubernetes', 'a', 'a1', 'a-b', 'x'.repeat(40)].map((name) =>
    good(`name ${name}`, {}, name),
  ),
  ...['x'.repeat(41), 'x'.repeat(52), 'x'.repeat(63), 'x'.repeat(64)].map(badName),
  ...['a-', '-a', '1a', 'a--b', 'a.b', 'A', 'a_b'].map(badName),
];

const env: readonly Row[] = [
  ...['PATH', 'NODE_OPTIONS', '_', 'a', 'PORTS', 'MY_PORT', 'SLESS', 'HOME'].map((name) =>
    good(`variable ${name}`, { env: { [name]: 'x' } }),
  ),
  ...['constructor', 'prototype', 'toString', 'hasOwnProperty', '__proto', '__defineGetter__'].map((name) =>
    good(`variable ${name}`, { env: { [name]: 'x' } }),
  ),
  bad('variable __proto__', { env: { ['__proto__']: 'x', A: 'b' } }, 'env'),
  ...['PORT', 'SLESS_X', 'SLESS_', '1A', 'a-b', 'a.b', '', 'ä', 'a b', `A${'b'.repeat(128)}`].map((name) =>
    bad(`variable ${JSON.stringify(name)}`, { env: { [name]: 'x' } }, 'env'),
  ),
  ...['$(HOME)', '$$(HOME)', '"\'', 'a\nb\r\n', '😀', '', ' ', '{"a":null}', '\u0001'].map((value) =>
    good(`value ${JSON.stringify(value)}`, { env: { A: value } }),
  ),
  bad('a value with NUL', { env: { A: 'a\u0000b' } }, 'NUL'),
  bad('a value that is a number', { env: { A: 1 } }, 'env'),
  bad('a list of variables', { env: [{ name: 'A', value: 'b' }] }, 'env'),
  good('a variable that is null is no variable', { env: { A: null } }),
  good('env null is no env', { env: null }),
  good('128 variables', { env: manyVariables(128) }),
  bad('129 variables', { env: manyVariables(129) }, 'env'),
  good('32,768 characters of environment', { env: { A: 'x'.repeat(32_767) } }),
  bad('32,769 characters of environment', { env: { A: 'x'.repeat(32_768) } }, 'env'),
  good('16,383 emoji, each of two UTF-16 units', { env: { A: '😀'.repeat(16_383), B: '' } }),
  good('32,766 emoji', { env: { A: '😀'.repeat(32_766) } }),
  bad('32,768 emoji', { env: { A: '😀'.repeat(32_768) } }, 'env'),
];

const secrets: readonly Row[] = [
  good('secrets', { secrets: ['fn-a', 'fn-b.c'] }),
  good('no secrets', { secrets: [] }),
  good('16 secrets', { secrets: Array.from({ length: 16 }, (_, index) => `fn-${index}`) }),
  bad('17 secrets', { secrets: Array.from({ length: 17 }, (_, index) => `fn-${index}`) }, 'secrets'),
  ...['admin', 'fn', 'fn-', 'FN-a', 'fn-A', 'other/fn-a', 'fn-a/', `fn-${'a'.repeat(251)}`].map((name) =>
    bad(`secret ${name}`, { secrets: [name] }, 'secrets'),
  ),
  bad('a secret twice', { secrets: ['fn-a', 'fn-a'] }, 'secrets'),
  bad('a secret that is null', { secrets: [null] }, 'secrets'),
];

const resources: readonly Row[] = [
  ...['1', '0.5', '500m', '1000m', '1.5', '1k', '0.001', '01'].map((cpu) =>
    good(`cpu ${cpu}`, { resources: { limits: { cpu } } }),
  ),
  ...['128Mi', '0.5Gi', '134217728', '128M', '1Pi', '1024Ki', '1048576000m'].map((memory) =>
    good(`memory ${memory}`, { resources: { limits: { memory } } }),
  ),
  ...['0', '0.0005', '1001', '-1', '1e3', '1 ', '.5', '1.', '1Ki2', '', '1u', '1n'].map((cpu) =>
    bad(`cpu ${JSON.stringify(cpu)}`, { resources: { limits: { cpu } } }, 'cpu'),
  ),
  ...['0', '128m', '128', '1Ei', '2Pi', '99999999999999999999'].map((memory) =>
    bad(`memory ${memory}`, { resources: { requests: { memory } } }, 'memory'),
  ),
  bad('a number as quantity', { resources: { limits: { cpu: 1 } } }, 'cpu'),
  good('a request equal to the limit', { resources: { requests: { cpu: '0.5' }, limits: { cpu: '500m' } } }),
  bad('a request over the limit', { resources: { requests: { cpu: '1' }, limits: { cpu: '999m' } } }, 'cpu'),
  bad(
    'memory over its limit',
    { resources: { requests: { memory: '1Gi' }, limits: { memory: '1G' } } },
    'memory',
  ),
  good('unknown fields are pruned', { resources: { requests: { gpu: '1' }, extra: true } }),
  good('resources null', { resources: null }),
];

const entrypoints: readonly Row[] = [
  ...[
    'handler.handle',
    'a.b',
    'pkg/mod.fn',
    'pkg.mod.fn',
    'my-mod.fn',
    'src/a/b.handle',
    'a_b.c_d',
    '_a._b',
  ].map((entrypoint) => good(`entrypoint ${entrypoint}`, { entrypoint })),
  ...[
    'handler',
    'handler.',
    '.handle',
    '../x.y',
    '/a.b',
    'a//b.c',
    'a.b-c',
    'a b.c',
    'a.b\n',
    '$(X).y',
    '',
  ].map((entrypoint) => bad(`entrypoint ${JSON.stringify(entrypoint)}`, { entrypoint }, 'entrypoint')),
];

const numbers: readonly Row[] = [
  good('no replicas', { replicas: 0 }),
  bad('less than no replicas', { replicas: -1 }, 'replicas'),
  bad('half a replica', { replicas: 0.5 }, 'replicas'),
  bad('replicas as text', { replicas: '1' }, 'replicas'),
  good('a thousand replicas', { replicas: 1000 }),
  bad('more than a thousand replicas', { replicas: 1001 }, 'replicas'),
  bad('replicas beyond int32', { replicas: 2_147_483_648 }, 'replicas'),
  good('replicas null is the default', { replicas: null }),
  ...[1, 60, 3600].map((timeoutSeconds) => good(`time limit ${timeoutSeconds}`, { timeoutSeconds })),
  ...[0, 3601, -1].map((timeoutSeconds) =>
    bad(`time limit ${timeoutSeconds}`, { timeoutSeconds }, 'timeoutSeconds'),
  ),
  ...[1, 1000].map((concurrency) => good(`concurrency ${concurrency}`, { concurrency })),
  ...[0, 1001].map((concurrency) => bad(`concurrency ${concurrency}`, { concurrency }, 'concurrency')),
  ...[30, 3600].map((value) => good(`build time ${value}`, { buildTimeoutSeconds: value })),
  ...[29, 3601].map((value) =>
    bad(`build time ${value}`, { buildTimeoutSeconds: value }, 'buildTimeoutSeconds'),
  ),
];

const others: readonly Row[] = [
  { title: 'no runtime', kind: 'Function', name: 'hello', spec: {}, wrong: 'runtime' },
  { title: 'no spec', kind: 'Function', name: 'hello', spec: undefined, wrong: 'spec' },
  good('a runtime that nobody knows: the hook says so', { runtime: 'cobol85' }),
  ...['', 'Python', 'a/b', '-a', 'a'.repeat(64)].map((runtime) =>
    bad(`runtime ${JSON.stringify(runtime)}`, { runtime }, 'runtime'),
  ),
  ...['auto', 'append', 'dockerfile'].map((build) => good(`build ${build}`, { build })),
  bad('build by magic', { build: 'magic' }, 'build'),
  good('a key of another tenant: the hook refuses it', { s3Key: 'contexts/other/f/v1.tar.gz' }),
  bad('an empty key', { s3Key: '' }, 's3Key'),
  bad('a key of 513 characters', { s3Key: 'k'.repeat(513) }, 's3Key'),
  bad('a bucket of 64 characters', { s3Bucket: 'b'.repeat(64) }, 's3Bucket'),
  good('unknown fields are pruned', { replcas: 3 }),
  update('another runtime', { runtime: 'nodejs20' }),
  update('everything else', { env: { A: 'b' }, replicas: 2, s3Key: 'contexts/team/hello/v1.tar.gz' }),
];

export const FUNCTION_ROWS: readonly Row[] = [
  ...names,
  ...env,
  ...secrets,
  ...resources,
  ...entrypoints,
  ...numbers,
  ...others,
];
