import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type RawEntry, rawZip } from '../source/raw-zip.ts';
import { cleanUp, hasPython, newFolder, type Sless, startSless } from './sless.ts';

let sless: Sless;
let folder: string;
let base: string;
beforeAll(async () => {
  folder = await newFolder();
  sless = await startSless(folder);
  base = `/v1/namespaces/${sless.namespace}`;
  await sless.api('POST', `${base}/ensure`);
});
afterAll(cleanUp);

const until = <T>(check: () => Promise<T>) => vi.waitFor(check, { timeout: 30_000, interval: 50 });
const TOOL = '#!/bin/sh\necho "from the tool"\n';
const RUN_TOOL = [
  'import os, subprocess',
  'tool = os.path.join(os.path.dirname(__file__), "bin", "tool")',
  'def handle(event):',
  '    return subprocess.run([tool], capture_output=True, text=True, check=True).stdout.strip()',
].join('\n');
const READ_ALL = [
  'import os',
  'def handle(event):',
  '    here = os.path.dirname(__file__)',
  '    files = [name for name in os.listdir(here) if os.path.isfile(os.path.join(here, name))]',
  '    return sorted(name for name in files if open(os.path.join(here, name), "rb").read())',
].join('\n');

/** Each as it was made by somebody's tool, and what its function answers. */
const ROWS: readonly (readonly [string, string, readonly RawEntry[], unknown])[] = [
  [
    '`pkg\\util.py` (zipped on Windows) imported by `handler.py`',
    'windows',
    [
      { name: 'handler.py', content: 'from pkg.util import word\ndef handle(event):\n    return word\n' },
      { name: 'pkg\\__init__.py', content: '' },
      { name: 'pkg\\util.py', content: 'word = "from pkg"\n' },
    ],
    'from pkg',
  ],
  [
    '`bin/tool` with mode 0755 run by the function',
    'tool',
    [
      { name: 'handler.py', content: RUN_TOOL },
      { name: 'bin/tool', content: TOOL, mode: 0o100755 },
    ],
    'from the tool',
  ],
  [
    'a zip whose modes are all 0',
    'modes',
    [
      { name: 'handler.py', content: READ_ALL, mode: 0 },
      { name: 'data.txt', content: 'x', mode: 0 },
    ],
    ['data.txt', 'handler.py'],
  ],
  [
    'only `myfn/handler.py`, with `__MACOSX/` and `.DS_Store` beside it',
    'root',
    [
      { name: 'myfn/handler.py', content: 'def handle(event):\n    return "stripped"\n' },
      { name: '__MACOSX/myfn/._handler.py', content: 'x' },
      { name: '.DS_Store', content: 'x' },
    ],
    'stripped',
  ],
  [
    'Cyrillic file names, with and without the UTF-8 flag; `A.py` and `a.py`',
    'names',
    [
      { name: 'handler.py', content: READ_ALL },
      { name: 'привет.txt', content: 'x', flags: 0x0800 },
      { name: Buffer.from([0xaf, 0xe0, 0xa8, 0xa2, 0xa5, 0xe2, 0x2e, 0x6d, 0x64]), content: 'x' },
      { name: 'A.py', content: 'x' },
      { name: 'a.py', content: 'x' },
    ],
    ['A.py', 'a.py', 'handler.py', 'привет.md', 'привет.txt'],
  ],
  [
    'a zip that holds its own `Dockerfile` and `.dockerignore`',
    'docker',
    [
      { name: 'handler.py', content: READ_ALL },
      { name: 'Dockerfile', content: 'FROM scratch\nRUN rm -rf /' },
      { name: '.dockerignore', content: '*' },
    ],
    ['.dockerignore', 'Dockerfile', 'handler.py'],
  ],
];

describe.skipIf(!hasPython())('zips of strange tools become functions that answer', () => {
  test.each(ROWS)('%s', async (_, name, entries, answer) => {
    await sless.api('POST', `${base}/functions`, { name, runtime: 'python3.11' });
    await sless.api('POST', `${base}/triggers`, { name, type: 'http', function: name });
    const form = new FormData();
    form.set('code', new Blob([new Uint8Array(rawZip([...entries]))]), 'code.zip');
    expect(await sless.api('POST', `${base}/functions/${name}/upload`, form)).toMatchObject({ status: 200 });
    await until(async () => {
      const called = await fetch(`${sless.endpoint}/fn/${sless.namespace}/${name}`);
      expect([called.status, await called.json()]).toEqual([200, answer]);
    });
  });
});

test('the same run_id twice at once: one run', async () => {
  const ledger = join(folder, 'ledger');
  const code = `import { appendFileSync } from 'node:fs';
export const handle = ({ id }) => { appendFileSync(${JSON.stringify(ledger)}, id + '\\n'); };`;
  await sless.api('POST', `${base}/functions`, { name: 'once', runtime: 'nodejs20' });
  const form = new FormData();
  form.set('code', new Blob([new Uint8Array(rawZip([{ name: 'handler.mjs', content: code }]))]), 'code.zip');
  await sless.api('POST', `${base}/functions/once/upload`, form);
  await sless.api('POST', `${base}/jobs`, { name: 'once', function: 'once', event_json: '{"id":"x"}' });
  const asked = Array.from({ length: 10 }, () => sless.api('PATCH', `${base}/jobs/once`, { run_id: 1 }));
  for (const { status } of await Promise.all(asked)) expect(status).toBe(200);
  await until(async () => {
    const { json } = await sless.api('GET', `${base}/jobs/once`);
    expect(json).toMatchObject({ phase: 'Succeeded', run_id: 1 });
  });
  expect(readFileSync(ledger, 'utf8')).toBe('x\n');
});
