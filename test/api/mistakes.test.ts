import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ApiServer, startApi, type Tenant, tenantOf } from './api-server.ts';

let api: ApiServer;
let alice: Tenant;
beforeAll(async () => {
  api = await startApi();
  alice = await tenantOf(api, 'alice');
  await alice.ask('POST', '/functions', { name: 'there', runtime: 'python3.11' });
  await alice.ask('POST', '/triggers', { name: 'there', type: 'http', function: 'there' });
});
afterAll(() => api.close());

const NAMES =
  'names must be C identifiers of at most 128 characters; PORT, __proto__ and names that begin with SLESS_ are reserved';
const CELL = 'must be a DNS label: lower-case letters, digits and "-", beginning with a letter';
const fn = (fields: object): object => ({ name: 'f', runtime: 'python3.11', ...fields });
const cron = (fields: object): object => ({
  name: 't',
  type: 'cron',
  function: 'f',
  schedule: '* * * * *',
  ...fields,
});

/** [method, path, body, every mistake that is named] */
const BAD: readonly [string, string, unknown, readonly string[]][] = [
  ['POST', '/functions', [], ['the body must be an object, not a list']],
  ['POST', '/functions', 'text', ['the body must be an object, not a string']],
  ['POST', '/functions', null, ['the body must be an object, not null']],
  ['POST', '/functions', {}, ['name: is required', 'runtime: is required']],
  ['POST', '/functions', fn({ name: 'A_b' }), [`name: ${CELL}`]],
  ['POST', '/functions', fn({ name: 'a--b' }), ['name: must not contain "--"']],
  ['POST', '/functions', fn({ name: 'a'.repeat(41) }), ['name: must have at most 40 characters']],
  ['POST', '/functions', fn({ name: 3 }), ['name: must be a string, not a number']],
  [
    'POST',
    '/functions',
    fn({ colour: 1, size: 2 }),
    ['colour: there is no such field', 'size: there is no such field'],
  ],
  ['POST', '/functions', fn({ runtime: '' }), ['runtime: must be the name of a runtime, such as python3.11']],
  [
    'POST',
    '/functions',
    fn({ entrypoint: 'x' }),
    ['entrypoint: must be module.function; the module may lie in a folder'],
  ],
  [
    'POST',
    '/functions',
    fn({ env: { '1A': 'x', 'B C': 'y', OK: 'z', PORT: '1' } }),
    [`env["1A"]: ${NAMES}`, `env["B C"]: ${NAMES}`, `env.PORT: ${NAMES}`],
  ],
  [
    'POST',
    '/functions',
    fn({ env: { A: 'a\0b' } }),
    ['env.A: values must not contain the NUL character, which no process can receive'],
  ],
  [
    'POST',
    '/functions',
    fn({ env: { A: 1, B: null } }),
    ['env.A: must be a string, not a number', 'env.B: must be a string, not null'],
  ],
  ['POST', '/functions', fn({ env: [] }), ['env: must be an object, not a list']],
  [
    'POST',
    '/functions',
    fn({ env: { A: 'x'.repeat(40_000) } }),
    [
      'env.A: must have at most 32768 characters',
      'env: names and values together must have at most 32768 characters',
    ],
  ],
  [
    'POST',
    '/functions',
    fn({ secrets: ['a', 'fn-a', 'fn-a'] }),
    [
      'secrets[0]: must be the name of a Secret that begins with "fn-"',
      'secrets: must not name a Secret twice',
    ],
  ],
  ['POST', '/functions', fn({ secrets: 'fn-a' }), ['secrets: must be a list, not a string']],
  [
    'POST',
    '/functions',
    fn({ secrets: Array.from({ length: 17 }, (_, i) => `fn-${i}`) }),
    ['secrets: must have at most 16 items'],
  ],
  ['POST', '/functions', fn({ replicas: 'two' }), ['replicas: must be a number, not a string']],
  ['POST', '/functions', fn({ replicas: 1.5 }), ['replicas: must be a whole number']],
  ['POST', '/functions', fn({ replicas: -1 }), ['replicas: must be at least 0']],
  ['POST', '/functions', fn({ replicas: 1e99 }), ['replicas: must be at most 1000']],
  ['POST', '/functions', fn({ replicas: 3e9 }), ['replicas: must be at most 1000']],
  [
    'POST',
    '/functions',
    fn({ timeout_seconds: 0, concurrency: true }),
    ['timeout_seconds: must be at least 1', 'concurrency: must be a number, not a boolean'],
  ],
  ['POST', '/functions', fn({ build: 'x' }), ['build: must be one of auto, dockerfile, append']],
  [
    'POST',
    '/functions',
    fn({ resources: { limits: { cpu: 'x', gpu: '1' } } }),
    [
      'resources.limits.cpu: must be a Kubernetes quantity such as 250m, 0.5 or 128Mi',
      'resources.limits.gpu: there is no such field',
    ],
  ],
  [
    'POST',
    '/functions',
    fn({ resources: { limits: { memory: '128m' } } }),
    ['resources.limits.memory: must lie between 1Mi and 1Pi'],
  ],
  [
    'POST',
    '/functions',
    fn({ resources: { requests: { cpu: '2' }, limits: { cpu: '1' } } }),
    ['resources: requests.cpu must not be more than limits.cpu'],
  ],
  ['POST', '/functions', fn({ s3_key: '' }), ['s3_key: must have 1 to 512 characters']],
  ['PATCH', '/functions/there', { name: 'other' }, ['name: there is no such field']],
  ['PATCH', '/functions/there', { runtime: null }, ['runtime: must be a string, not null']],
  ['PATCH', '/functions/there', [1], ['the body must be an object, not a list']],
  ['POST', '/functions/there/rollback', {}, ['s3_key: is required']],
  ['POST', '/functions/there/rollback', { s3_key: '' }, ['s3_key: must not be empty']],
  [
    'POST',
    '/functions/there/rollback',
    { s3_key: 7, x: 1 },
    ['s3_key: must be a string, not a number', 'x: there is no such field'],
  ],
  [
    'POST',
    '/jobs',
    { name: 'j', function: 'there', event_json: 'x'.repeat(98_305) },
    ['event_json: must be at most 96 KiB'],
  ],
  ['POST', '/triggers', cron({ payload: 'x'.repeat(65_537) }), ['payload: must be at most 64 KiB']],
  ['GET', '/functions/NOPE', undefined, [`name: ${CELL}`]],
  ['GET', '/functions?limit=abc', undefined, ['limit: must be a number']],
  ['GET', '/functions?limit=1.5', undefined, ['limit: must be a whole number']],
  ['GET', '/functions?limit=0', undefined, ['limit: must be at least 1']],
  ['GET', '/functions?limit=501', undefined, ['limit: must be at most 500']],
  [
    'POST',
    '/triggers',
    {},
    ['name: is required', 'type: must be one of http, cron, event', 'function: is required'],
  ],
  [
    'POST',
    '/triggers',
    { name: 't', type: 'ftp', function: 'f' },
    ['type: must be one of http, cron, event'],
  ],
  ['POST', '/triggers', { name: 't', type: 'cron', function: 'f' }, ['a cron trigger needs schedule']],
  ['POST', '/triggers', { name: 't', type: 'event', function: 'f' }, ['an event trigger needs queue']],
  [
    'POST',
    '/triggers',
    { name: 't', type: 'http', function: 'f', queue: 'q' },
    ['queue, prefetch, max_attempts, dead_letter_queue, broker_secret belong to an event trigger alone'],
  ],
  [
    'POST',
    '/triggers',
    { name: 't', type: 'http', function: 'f', enabled: 'yes' },
    ['enabled: must be true or false, not a string'],
  ],
  [
    'POST',
    '/triggers',
    cron({ time_zone: 'Mars/Base' }),
    ['time_zone: must be the name of an IANA time zone such as Europe/Berlin'],
  ],
  [
    'POST',
    '/triggers',
    cron({ concurrency_policy: 'x' }),
    ['concurrency_policy: must be one of Allow, Forbid, Replace'],
  ],
  ['PATCH', '/triggers/there', { type: 'cron' }, ['type: there is no such field']],
  ['PATCH', '/triggers/there', { enabled: 1 }, ['enabled: must be true or false, not a number']],
];

it.each(BAD)('%s %s %j names every mistake in words', async (method, path, body, details) => {
  const { status, body: answer } = await alice.ask(method, path, body as object);
  expect({ status, details: answer.details }).toEqual({ status: 400, details });
  expect(answer).toMatchObject({
    code: 'InvalidRequest',
    error: `the request is not valid: ${details.join('; ')}`,
  });
  expect(JSON.stringify(answer)).not.toMatch(/NaN|Invalid input|received|Too (big|small)|expected/);
});
