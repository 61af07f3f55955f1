import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { cleanUp, hasPython, newFolder, type Sless, startSless, uploadForm } from '../local/sless.ts';
import { hasChromium, openBrowser, openWindow, type Window } from './browser.ts';

interface Broken {
  readonly name: string;
  readonly runtime: 'nodejs20' | 'python3.11';
  readonly files: Readonly<Record<string, string>>;
  readonly reason: string;
  /** What names the line, or what is wrong in it. */
  readonly line: RegExp;
}

const good = 'export const handle = () => 1;\n';

/** Of these the state says what is wrong. Memory is not limited in local mode: see `pages.test.ts` for its page. */
const STATES: readonly Broken[] = [
  {
    name: 'import-error',
    runtime: 'nodejs20',
    files: { 'handler.mjs': `import './missing.mjs';\n${good}` },
    reason: 'CrashLoop',
    line: /missing\.mjs/,
  },
  {
    name: 'crash-at-start',
    runtime: 'nodejs20',
    files: { 'handler.mjs': `${good}\nthrow new Error('no luck');\n` },
    reason: 'CrashLoop',
    line: /handler\.mjs:3/,
  },
  {
    name: 'package-no-json',
    runtime: 'nodejs20',
    files: { 'handler.mjs': good, 'package.json': '{ "dependencies": { "a" } }' },
    reason: 'BuildFailed',
    line: /JSON/i,
  },
  {
    name: 'package-missing',
    runtime: 'nodejs20',
    files: { 'handler.mjs': good, 'package.json': '{ "dependencies": { "a": "file:./nowhere.tgz" } }' },
    reason: 'BuildFailed',
    line: /nowhere/,
  },
  {
    name: 'requirement-no-name',
    runtime: 'python3.11',
    files: {
      'handler.py': 'def handle(event, context):\n    return 1\n',
      'requirements.txt': '# ours\nnot a requirement!\n',
    },
    reason: 'BuildFailed',
    line: /line 2|not a requirement/,
  },
];

/** Of these the call and the log tell. */
const CALLS: readonly (Broken & { readonly status: number })[] = [
  {
    name: 'exception',
    runtime: 'nodejs20',
    files: { 'handler.mjs': "export const handle = (event) => {\n  throw new Error('no luck');\n};\n" },
    status: 500,
    reason: 'FunctionError',
    line: /handler\.mjs:2/,
  },
  {
    name: 'time-out',
    runtime: 'nodejs20',
    files: { 'handler.mjs': 'export const handle = () => new Promise(() => {});\n' },
    status: 504,
    reason: 'FunctionTimeout',
    line: /time limit|timed out|did not answer|1 s/i,
  },
];

describe.skipIf(!hasChromium())('what is broken is named with its reason and its line', () => {
  let sless: Sless;
  let browser: Browser;
  let window: Window;
  let page: Page;
  const python = hasPython();

  beforeAll(async () => {
    [sless, browser] = await Promise.all([newFolder().then((folder) => startSless(folder)), openBrowser()]);
    window = await openWindow(browser);
    page = window.page;
    const at = `/v1/namespaces/${sless.namespace}`;
    const made = [...STATES, ...CALLS].filter(({ runtime }) => python || runtime === 'nodejs20');
    await Promise.all(
      made.map(async ({ name, runtime, files }) => {
        await sless.api('POST', `${at}/functions`, { name, runtime, timeout_seconds: 1 });
        await sless.api('POST', `${at}/triggers`, { name: `${name}-http`, type: 'http', function: name });
        expect(await sless.api('POST', `${at}/functions/${name}/upload`, uploadForm(files))).toMatchObject({
          status: 200,
        });
      }),
    );
  });
  afterAll(async () => {
    await window?.close();
    await browser?.close();
    await cleanUp();
  });

  const open = (path: string) => page.goto(`${sless.endpoint}/funcs/${sless.namespace}${path}`);

  test.each(STATES.filter(({ runtime }) => python || runtime === 'nodejs20'))(
    '$name: $reason',
    async ({ name, reason, line }) => {
      await open(`/functions/${name}`);
      const why = page.locator('#why');
      await why.waitFor({ timeout: 60_000 });
      expect(await why.textContent()).toContain(reason);
      expect(await why.textContent()).toMatch(line);
      const { json } = await sless.api('GET', `/v1/namespaces/${sless.namespace}/functions/${name}`);
      expect(json.message).toMatch(line);
      expect(json.conditions).toContainEqual(
        expect.objectContaining({ type: 'Ready', status: 'False', reason }),
      );
      await open(`/logs/${name}${reason === 'BuildFailed' ? '?of=build' : ''}`);
      await page.getByRole('log').getByText(line).first().waitFor();
    },
    90_000,
  );

  test.each(CALLS)(
    '$name: $reason in its call and its log',
    async ({ name, status, reason, line }) => {
      await open(`/test/${name}`);
      await page.locator('#function-head .status', { hasText: 'Ready' }).waitFor({ timeout: 30_000 });
      await page.getByRole('button', { name: 'Send' }).click();
      await page.getByText(String(status), { exact: true }).waitFor();
      expect(await page.getByLabel('Body of the answer').textContent()).toContain(reason);
      await expect
        .poll(
          async () => {
            await open(`/invocations/${name}`);
            return page.locator('main').textContent();
          },
          { timeout: 15_000 },
        )
        .toContain(`answered ${status}`);
      await open(`/logs/${name}`);
      await page.getByRole('log').getByText(line).first().waitFor();
    },
    60_000,
  );
});
