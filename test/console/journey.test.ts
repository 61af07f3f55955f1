import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { cleanUp, newFolder, type Sless, startSless } from '../local/sless.ts';
import { hasChromium, openBrowser, openWindow, violations, type Window } from './browser.ts';

const PARTS = ['functions', 'source', 'deployments', 'logs', 'invocations', 'test', 'triggers', 'settings'];

describe.skipIf(!hasChromium())('the console of local mode', () => {
  let sless: Sless;
  let browser: Browser;
  let window: Window;
  let page: Page;
  let code: string;

  beforeAll(async () => {
    [sless, browser, code] = await Promise.all([
      newFolder().then((folder) => startSless(folder)),
      openBrowser(),
      mkdtemp(join(tmpdir(), 'sless-code-')),
    ]);
    await sless.printed(/^sample hello-node \S+ 200/m);
    window = await openWindow(browser);
    page = window.page;
    await mkdir(join(code, 'node_modules/left-out'), { recursive: true });
    await mkdir(join(code, 'words'), { recursive: true });
    await writeFile(join(code, 'node_modules/left-out/index.js'), '');
    await writeFile(join(code, 'words/hello.mjs'), "export const hello = 'first';\n");
    await writeFile(
      join(code, 'handler.mjs'),
      "import { hello } from './words/hello.mjs';\n\nexport const handle = (event) => ({ hello, event });\n",
    );
  });
  afterAll(async () => {
    await window?.close();
    await browser?.close();
    await cleanUp();
    await rm(code, { recursive: true, force: true });
  });

  const open = (path: string) => page.goto(`${sless.endpoint}/funcs/${sless.namespace}${path}`);
  const state = (word: string) => page.locator('#function-head .status', { hasText: word }).waitFor();
  const part = (name: string) =>
    page
      .getByRole('navigation', { name: /^Parts of/ })
      .getByRole('link', { name })
      .click();
  const said = (text: string | RegExp) => page.locator('#toasts').getByText(text).first().waitFor();

  /** While the head changes underneath, a key may get lost. */
  const openMenu = async (): Promise<void> => {
    const rebuild = page.getByRole('button', { name: 'Rebuild' });
    await expect
      .poll(
        async () => {
          if (!(await rebuild.isVisible()))
            await page.locator('summary[aria-label="More actions"]').press('Enter');
          return rebuild.isVisible();
        },
        { timeout: 10_000 },
      )
      .toBe(true);
  };

  test('opens at the bare address without asking for a token', async () => {
    await page.goto(`${sless.endpoint}/`);
    expect(new URL(page.url()).pathname).toBe(`/funcs/${sless.namespace}`);
    await page.getByRole('row', { name: /hello-node.*Ready.*1\/1/ }).waitFor();
    expect(await page.evaluate('document.cookie')).toBe('');
  });

  test('narrows the list by words and by state, from the keyboard', async () => {
    await page.keyboard.press('/');
    await page.keyboard.type('python');
    await page.getByText('1 function shown').waitFor();
    expect(await page.getByRole('link', { name: 'hello-node' }).isVisible()).toBe(false);
    await page.keyboard.press('Control+A');
    await page.keyboard.press('Delete');
    await page.getByRole('button', { name: /^Ready/ }).press('Enter');
    await page.getByText('2 functions shown').waitFor();
  });

  test('makes a function of a folder, which gets its URL and its source', async () => {
    await page.getByRole('link', { name: 'New function' }).click();
    await page.getByLabel('Name').fill('words');
    await page.getByText('Node.js 20').click();
    await page.locator('[data-input="folder"]').setInputFiles(code);
    await page.getByText(/^2 files .* is ready to be uploaded/).waitFor();
    await page.getByRole('button', { name: 'Create function' }).click();
    await page.getByRole('heading', { name: 'words', exact: true }).waitFor();
    await state('Ready');
    await page.getByRole('link', { name: /\/fn\/.*\/words$/ }).waitFor();
    await part('Source');
    expect(await page.locator('code .hljs-keyword').first().textContent()).toBe('import');
    await page.getByRole('navigation', { name: 'Files' }).getByText('hello.mjs').click();
    await page.getByRole('region', { name: 'Content' }).getByText("'first'").waitFor();
  });

  test('says what is wrong with what somebody types', async () => {
    await open('/new');
    await page.getByLabel('Name').fill('words');
    await page.getByRole('button', { name: 'Create function' }).click();
    await page.getByRole('alert').getByText('there is a function "words" already').waitFor();
    await open('/settings/words');
    await page.getByLabel(/^Variables/).fill('PORT=1');
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByRole('alert').getByText(/PORT/).waitFor();
    await open('/triggers/words');
    await page.getByRole('textbox', { name: 'Schedule' }).fill('now and then');
    await page.getByRole('region', { name: 'New schedule' }).getByRole('button', { name: 'Add' }).click();
    await page
      .getByRole('alert')
      .getByText(/schedule/)
      .waitFor();
    await open('/deployments/words');
    await page
      .locator('[data-input="zip"]')
      .setInputFiles({ name: 'no.zip', mimeType: 'application/zip', buffer: Buffer.from('nonsense') });
    await page.getByRole('alert').getByText(/zip/).waitFor();
    await open('/functions/nobody');
    await page.getByText('There is no function "nobody".').waitFor();
  });

  test('deploys another version and rolls back to the first', async () => {
    await writeFile(join(code, 'words/hello.mjs'), "export const hello = 'second';\n");
    await open('/deployments/words');
    await page.locator('[data-input="folder"]').setInputFiles(code);
    await page.getByText(/Uploaded: the build begins/).waitFor();
    await page.getByRole('button', { name: /^Roll back to/ }).waitFor();
    await state('Ready');
    await page.getByRole('button', { name: /^Roll back to/ }).press('Enter');
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /^Roll back/ })
      .press('Enter');
    await said(/^Rolling back/);
    await state('Ready');
    await part('Test');
    // The head may say Ready of the version before for a moment: the first one answers once it is rolled out.
    await vi.waitFor(
      async () => {
        await page.getByLabel('Body').press('Control+Enter');
        await page.getByLabel('Body of the answer').getByText('"first"').waitFor({ timeout: 1000 });
      },
      { timeout: 30_000 },
    );
    await page.getByText('200', { exact: true }).waitFor();
  }, 60_000);

  test('a call by hand: broken JSON is pointed at, headers are read, curl is copied', async () => {
    await open('/test/words');
    await page.getByLabel('Body', { exact: true }).fill('{"name": ');
    await page.getByText(/not JSON yet: line 1, column 10/).waitFor();
    await page.getByLabel('Body', { exact: true }).fill('{"name":"Ada"}');
    await page.getByRole('button', { name: 'Format' }).click();
    expect(await page.getByLabel('Body', { exact: true }).inputValue()).toBe('{\n  "name": "Ada"\n}');
    await page.getByLabel('Headers').fill('no header');
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByText(/is no header/).waitFor();
    await page.getByLabel('Headers').fill('content-type: application/json');
    await page.getByRole('button', { name: 'Copy as curl' }).click();
    expect(await page.evaluate('navigator.clipboard.readText()')).toContain(
      `curl -X POST '${sless.endpoint}/fn/`,
    );
  });

  test('shows what a function writes, live, and what the build wrote', async () => {
    await open('/logs/words');
    await page.getByText('handler.handle is ready').waitFor();
    await page.getByText('Live', { exact: true }).waitFor();
    await page.getByLabel('Filter lines').fill('nothing is like this');
    await page.getByText('handler.handle is ready').waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'Clear' }).click();
    await page.getByRole('button', { name: 'Follow' }).press('Space');
    await page.getByLabel('Before the last restart').check();
    await page.locator('[data-log-state]', { hasText: /^(Nothing there|Before the last restart)/ }).waitFor();
    const [saved] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download' }).click(),
    ]);
    expect(saved.suggestedFilename()).toBe('words.log');
    await page.getByRole('link', { name: 'Build', exact: true }).click();
    await page.getByText('Build succeeded', { exact: true }).waitFor();
  });

  test('shows calls, and those that are asked for', async () => {
    await open('/invocations/words');
    await page.getByRole('cell', { name: '200' }).first().waitFor();
    await page.getByLabel('Outcome').selectOption('failed');
    await page.getByRole('button', { name: 'Filter' }).click();
    await page.getByText('No call is like that.').waitFor();
    await page.getByRole('link', { name: 'Reset' }).click();
    await page.getByRole('button', { name: 'Copy request id' }).first().click();
    await said('Copied');
  });

  test('stops and starts, restarts and rebuilds, by mouse and by keyboard', async () => {
    await open('/functions/words');
    await page.getByRole('button', { name: 'Stop' }).click();
    await state('Stopped');
    await page.getByRole('button', { name: 'Start' }).press('Enter');
    await state('Ready');
    for (const name of ['Restart pods', 'Rebuild']) {
      await openMenu();
      await page.getByRole('button', { name }).press('Enter');
      await said(name === 'Rebuild' ? /^Building/ : /^Restarting/);
      await state('Ready');
    }
    await openMenu();
    await page.keyboard.press('Escape');
    expect(await page.getByRole('button', { name: 'Rebuild' }).isVisible()).toBe(false);
  });

  test('settings are saved, those that were changed alone', async () => {
    await open('/settings/words');
    await page.getByLabel(/^Variables/).fill('GREETING=good=day');
    await page.getByLabel('Time limit of a call').fill('7');
    await page.getByRole('button', { name: 'Save changes' }).click();
    await said(/^Saved/);
    const { json } = await sless.api('GET', `/v1/namespaces/${sless.namespace}/functions/words`);
    expect(json).toMatchObject({
      env: { GREETING: 'good=day' },
      timeout_seconds: 7,
      replicas: 1,
      resources: null,
    });
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByText('Nothing was changed.').waitFor();
  });

  test('a function without triggers is stopped and started too; its URL comes with a trigger', async () => {
    await open('/triggers/words');
    await page.getByRole('button', { name: 'Disable words-http' }).click();
    await page.getByRole('button', { name: 'Enable words-http' }).waitFor();
    await page.getByRole('button', { name: 'Delete words-http' }).click();
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /^Delete/ })
      .click();
    await page.getByText('Nothing calls it yet.').waitFor();
    await page.getByRole('button', { name: 'Stop' }).click();
    await state('Stopped');
    await page.getByRole('button', { name: 'Start' }).click();
    await state('Ready');
    await part('Test');
    await page.getByRole('button', { name: 'Give it a URL' }).click();
    await page.getByRole('button', { name: 'Send' }).waitFor();
    await part('Triggers');
    await page.getByRole('textbox', { name: 'Schedule' }).fill('@daily');
    await page.getByRole('region', { name: 'New schedule' }).getByRole('button', { name: 'Add' }).click();
    await page.getByRole('button', { name: 'Disable words-cron' }).waitFor();
    await page.getByRole('textbox', { name: 'Queue' }).fill('orders');
    await page.getByRole('region', { name: 'New queue' }).getByRole('button', { name: 'Add' }).click();
    await page.getByRole('button', { name: 'Disable words-event' }).waitFor();
  });

  test('changes its colours and keeps them', async () => {
    await page.getByRole('button', { name: 'Switch between light and dark' }).press('Enter');
    await page.reload();
    expect(await page.locator('html').getAttribute('data-theme')).toBe('dark');
    await page.getByRole('button', { name: 'Switch between light and dark' }).click();
    expect(await page.locator('html').getAttribute('data-theme')).toBe('light');
  });

  test.each(['light', 'dark'] as const)('axe finds nothing on any page in %s', async (scheme) => {
    // What is narrow differs in its layout, not in its colours.
    for (const narrow of scheme === 'light' ? [false, true] : [false]) {
      const other = await openWindow(browser, { scheme, narrow });
      for (const path of ['', '/new', '/nowhere/x', ...PARTS.map((each) => `/${each}/words`)]) {
        await other.page.goto(`${sless.endpoint}/funcs/${sless.namespace}${path}`);
        expect([path, ...(await violations(other.page))]).toEqual([path]);
      }
      await other.close();
    }
  });

  test('deletes a function once its name was typed', async () => {
    await open('/settings/words');
    await page.getByRole('button', { name: 'Delete…' }).last().click();
    const dialog = page.getByRole('dialog');
    expect(await dialog.getByRole('button', { name: 'Delete' }).isDisabled()).toBe(true);
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Delete…' }).last().click();
    await dialog.getByLabel('Type words to go on').fill('words');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Functions' }).waitFor();
    await page.getByRole('link', { name: 'words', exact: true }).waitFor({ state: 'detached' });
  });
});
