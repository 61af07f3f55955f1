import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { cleanUp, newFolder, objects, type Sless, startSless, uploadForm } from './sless.ts';

/** What a start makes of a function whose newest version does not run. */
let folder: string;
let sless: Sless;
let base: string;
beforeAll(async () => {
  folder = await newFolder();
  sless = await startSless(folder);
  base = `/v1/namespaces/${sless.namespace}`;
  await sless.api('POST', `${base}/ensure`);
  await sless.api('POST', `${base}/functions`, { name: 'f', runtime: 'nodejs20' });
  await sless.api('POST', `${base}/triggers`, { name: 'f', type: 'http', function: 'f' });
  await upload('export const handle = () => "good";');
  await until(async () => expect(await show()).toMatchObject({ phase: 'Ready' }));
  await upload('throw new Error("broken on purpose");');
  await brokenOnPurpose();
}, 60_000);
afterAll(cleanUp);

const until = (check: () => Promise<void>) => vi.waitFor(check, { timeout: 20_000, interval: 10 });
const show = async () => (await sless.api('GET', `${base}/functions/f`)).json;
const versions = async () => (await sless.api('GET', `${base}/functions/f/versions`)).json.items;
const upload = async (code: string) => {
  const form = uploadForm({ 'handler.mjs': code });
  expect(await sless.api('POST', `${base}/functions/f/upload`, form)).toMatchObject({ status: 200 });
};
const call = async () => {
  const response = await fetch(`${sless.endpoint}/fn/${sless.namespace}/f`);
  return `${response.status} ${await response.text()}`;
};
const brokenOnPurpose = () =>
  until(async () => {
    const shown = await show();
    expect(shown).toMatchObject({ ready_replicas: 1, message: expect.stringContaining('broken on purpose') });
    expect(await versions()).toMatchObject([
      { served: false, current: false },
      { served: true, current: true },
    ]);
    expect(await call()).toBe('200 "good"');
  });

describe.each(['SIGINT', 'SIGKILL'] as const)('after a %s and a start', (signal) => {
  test('the last good version serves as soon as all is ready, and the broken one is told of', async () => {
    await sless.kill(signal);
    sless = await startSless(folder);
    expect(await call()).toBe('200 "good"');
    await brokenOnPurpose();
  });
});

test('what works then takes the place of both', async () => {
  await upload('export const handle = () => "better";');
  await until(async () => expect(await show()).toMatchObject({ phase: 'Ready', ready_replicas: 1 }));
  await until(async () => expect(await call()).toBe('200 "better"'));
  await until(async () => {
    const names = (await objects(sless, folder, 'pod')).map(({ metadata }) => metadata.name);
    expect(names.filter((name) => name.startsWith('f-'))).toHaveLength(1);
  });
});
