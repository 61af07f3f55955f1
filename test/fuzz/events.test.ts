import { request as httpRequest } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { runnableRuntimes } from '../../src/local/runnable.ts';
import { loadRuntimes } from '../../src/runtimes/catalogue.ts';
import { searchPath } from '../runtimes/server.ts';
import { type AnyBody, anyBody } from './bodies.ts';
import { budget, timeLimit } from './budget.ts';
import { serveCode } from './http.ts';

/** Functions that say what their event is, in words that do not depend on the language. */
const SAYS: Readonly<Record<string, readonly [string, string]>> = {
  nodejs20: [
    'handler.js',
    `const said = (value) => {
  if (Buffer.isBuffer(value)) return { bytes: value.toString('hex') };
  if (typeof value === 'string') return { text: Buffer.from(value, 'utf16le').toString('hex') };
  if (typeof value === 'number') return { number: String(Number(value)) };
  if (Array.isArray(value)) return value.map(said);
  if (value === null || typeof value !== 'object') return value;
  const names = Object.entries(value).map(([name, of]) => [name === 'contentType' ? 'content_type' : name, said(of)]);
  return { object: names.sort(([a], [b]) => (Buffer.from(a) < Buffer.from(b) ? -1 : 1)) };
};
exports.handle = (event) => said(event);
`,
  ],
  'python3.11': [
    'handler.py',
    `def said(value):
    if isinstance(value, bytes):
        return {"bytes": value.hex()}
    if isinstance(value, str):
        return {"text": value.encode("utf-16-le", "surrogatepass").hex()}
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, (int, float)):
        return {"number": repr(float(value))}
    if isinstance(value, list):
        return [said(one) for one in value]
    return {"object": sorted([name, said(of)] for name, of in value.items())}

def handle(event):
    return said(event)
`,
  ],
};

const catalogue = loadRuntimes(join(import.meta.dirname, '../../runtimes'));
const { runtimes } = await runnableRuntimes(catalogue, { PATH: searchPath() });
const served = await Promise.all(
  [...runtimes.values()].map((runtime) => serveCode(runtime, SAYS[runtime.name] ?? ['', ''])),
);
afterAll(() => Promise.all(served.map((one) => one.end())));

function ask(port: number, { type, body }: AnyBody): Promise<{ status: number; said: string }> {
  return new Promise((resolve, reject) => {
    const headers = { ...(type === '' ? {} : { 'content-type': type }), 'content-length': body.length };
    const options = { port, host: '127.0.0.1', method: 'POST', headers };
    httpRequest(options, async (response) =>
      resolve({ status: response.statusCode ?? 0, said: await text(response) }),
    )
      .on('error', reject)
      .end(body);
  });
}

const INFINITE: Readonly<Record<string, number>> = { inf: Infinity, '-inf': -Infinity };

/** Numbers as both languages would write them. */
const normal = (said: string): unknown =>
  JSON.parse(said, (name, value) => (name === 'number' ? (INFINITE[value] ?? Number(value)) : value));

test('an event is the same in every language, or refused, and never a fault', {
  timeout: timeLimit(120_000),
}, async () => {
  let taken = 0;
  const property = fc.asyncProperty(anyBody, async (body) => {
    const [first, ...others] = await Promise.all(served.map(({ port }) => ask(port, body)));
    expect([200, 400]).toContain(first?.status);
    for (const other of others) {
      expect(other.status).toBe(first?.status);
      if (other.status !== 200) continue;
      taken += 1;
      expect(normal(other.said)).toEqual(normal(first?.said ?? ''));
    }
  });
  await fc.assert(property, budget(800));
  expect(taken).toBeGreaterThan(served.length > 1 ? 100 : -1);
});
