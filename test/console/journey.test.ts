import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { cleanUp, newFolder, type Sless, startSless } from '../local/sless.ts';
import { hasChromium, openBrowser, openWindow, violations, type Window } from './browser.ts';

describe.skipIf(!hasChromium())('the console of local mode', () => {
  let sless: Sless;
  let browser: Browser;
  let window: Window;

  beforeAll(async () => {
    [sless, browser] = await Promise.all([newFolder().then((folder) => startSless(folder)), openBrowser()]);
    await sless.printed(/^sample hello-node \S+ 200/m);
    window = await openWindow(browser);
  });
  afterAll(async () => {
    await window?.close();
    await browser?.close();
    await cleanUp();
  });

  test('opens at the bare address without asking for a token', async () => {
    const { page } = window;
    await page.goto(`${sless.endpoint}/`);
    expect(new URL(page.url()).pathname).toBe(`/funcs/${sless.namespace}`);
    await page.getByRole('row', { name: /hello-node.*Ready.*1\/1/ }).waitFor();
    expect(await page.evaluate('document.cookie')).toBe('');
    expect(await violations(page)).toEqual([]);
  });

  test('shows what a function writes as it is written, and sends it a call', async () => {
    const { page } = window;
    await page.getByRole('link', { name: 'hello-node' }).click();
    await page.getByRole('heading', { name: 'hello-node' }).waitFor();
    expect(await violations(page)).toEqual([]);
    await page.getByRole('link', { name: 'Test' }).click();
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByText('200', { exact: true }).waitFor();
    expect(await page.getByLabel('Body of the answer').textContent()).toContain('Ada');
    await page.getByRole('link', { name: 'Logs', exact: true }).click();
    await page.getByText('handler.handle is ready').waitFor();
    await page.getByText('Live', { exact: true }).waitFor();
    expect(await violations(page)).toEqual([]);
  });

  test('stops a function and starts it again', async () => {
    const { page } = window;
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByText('Stopped', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Start' }).click();
    await page.getByText('Ready', { exact: true }).waitFor();
  });
});
