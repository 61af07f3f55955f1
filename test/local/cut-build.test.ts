import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test, vi } from 'vitest';
import { cleanUp, newFolder, startSless, uploadForm } from './sless.ts';

afterAll(cleanUp);

test('a build that an end of sless cut off is told as what it is: it runs again, and nobody ran out of memory', async () => {
  const folder = await newFolder();
  let sless = await startSless(folder);
  const base = `/v1/namespaces/${sless.namespace}`;
  const show = async () => (await sless.api('GET', `${base}/functions/slow`)).json;
  await sless.api('POST', `${base}/functions`, { name: 'slow', runtime: 'nodejs20' });
  const marker = join(folder, 'begun');
  const files = {
    'handler.mjs': 'export const handle = () => "built";',
    'package.json': JSON.stringify({
      name: 'slow',
      version: '1.0.0',
      scripts: { preinstall: `touch ${marker}; sleep 4` },
    }),
  };
  await sless.api('POST', `${base}/functions/slow/upload`, uploadForm(files));
  await vi.waitFor(() => expect(existsSync(marker)).toBe(true), { timeout: 30_000 });
  await sless.kill('SIGINT');
  sless = await startSless(folder);
  const told = new Set<string>();
  await vi.waitFor(
    async () => {
      const { phase, message } = await show();
      told.add(message);
      expect(phase).toBe('Ready');
    },
    { timeout: 40_000, interval: 50 },
  );
  expect([...told].filter((message) => /memory|not well|exit/.test(message))).toEqual([]);
}, 90_000);
