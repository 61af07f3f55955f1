import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { afterAll, describe, test } from 'vitest';
import { cleanUp, newFolder, startSless, uploadForm } from '../local/sless.ts';
import { openBrowser, openWindow } from './browser.ts';

const FOLDER = resolve(import.meta.dirname, '../../docs/screenshots');
const SCENES = [
  { scheme: 'light', narrow: false },
  { scheme: 'dark', narrow: false },
  { scheme: 'light', narrow: true },
  { scheme: 'dark', narrow: true },
] as const;

const GREET = `"""Greets whoever is named."""
from words import GREETINGS


def handle(event, context):
    name = event.get("name", "world")
    print(f"greeting {name}, request {context.request_id}")
    return {"greeting": f"{GREETINGS['en']}, {name}!"}
`;

/** Pages for review. They change with the pages alone and with the clock: made anew only by `npm run screenshots`. */
describe.runIf(process.env.SCREENSHOTS === '1')('screenshots', () => {
  afterAll(cleanUp);

  test('are taken of every page that is looked at', { timeout: 180_000 }, async () => {
    const [sless, browser] = await Promise.all([
      newFolder().then((folder) => startSless(folder, { PORT: '18088' })),
      openBrowser(),
    ]);
    const at = `/v1/namespaces/${sless.namespace}`;
    const make = async (name: string, runtime: string, files: Record<string, string>) => {
      await sless.api('POST', `${at}/functions`, {
        name,
        runtime,
        ...(runtime === 'nodejs20' ? {} : { env: { LANG_DEFAULT: 'en' } }),
      });
      await sless.api('POST', `${at}/triggers`, { name: `${name}-http`, type: 'http', function: name });
      await sless.api('POST', `${at}/functions/${name}/upload`, uploadForm(files));
    };
    await make('greet', 'python3.11', {
      'handler.py': GREET,
      'words/__init__.py': 'GREETINGS = {"en": "Hello"}\n',
      'README.md': '# Greet\n',
    });
    await make('checkout', 'nodejs20', {
      'handler.mjs': "import { pay } from './payment.mjs';\n\nexport const handle = pay;\n",
    });
    await make('resize-images', 'nodejs20', {
      'handler.mjs': 'export const handle = () => 1;\n',
      'package.json': '{ "dependencies": { "a": "file:./nowhere.tgz" } }',
    });
    await make('nightly-report', 'nodejs20', {
      'handler.mjs': 'export const handle = () => ({ rows: 42 });\n',
    });
    await sless.api('POST', `${at}/triggers`, {
      name: 'nightly',
      type: 'cron',
      function: 'nightly-report',
      schedule: '0 2 * * *',
      time_zone: 'Europe/Berlin',
    });
    await sless.api('POST', `${at}/triggers`, {
      name: 'orders',
      type: 'event',
      function: 'greet',
      queue: 'orders',
    });
    await sless.api('POST', `${at}/functions`, { name: 'just-declared', runtime: 'python3.11' });
    const first = await openWindow(browser);
    const base = `${sless.endpoint}/funcs/${sless.namespace}`;
    await first.page.goto(base);
    for (const row of [
      /greet .*Ready/,
      /checkout .*CrashLoop/,
      /resize-images .*BuildFailed/,
      /nightly-report .*Ready/,
    ])
      await first.page.getByRole('row', { name: row }).waitFor({ timeout: 60_000 });
    for (let i = 0; i < 24; i += 1)
      await fetch(`${sless.endpoint}/fn/${sless.namespace}/greet`, {
        method: 'POST',
        body: i % 9 === 4 ? '[1]' : `{"name":"Ada ${i}"}`,
        headers: { 'content-type': 'application/json' },
      });
    await sless.api('POST', `${at}/functions/hello-node/stop`);
    await first.page.waitForTimeout(2000);
    await first.page.reload();
    await first.page.getByRole('row', { name: /hello-node .*Stopped/ }).waitFor();
    await first.context.close();
    await mkdir(FOLDER, { recursive: true });
    const pages: Readonly<Record<string, string>> = {
      list: '',
      overview: '/functions/greet',
      broken: '/functions/checkout',
      source: '/source/greet',
      deployments: '/deployments/greet',
      logs: '/logs/greet',
      'build-log': '/logs/resize-images?of=build',
      invocations: '/invocations/greet',
      call: '/test/greet',
      new: '/new',
      settings: '/settings/greet',
      triggers: '/triggers/greet',
    };
    for (const { scheme, narrow } of SCENES) {
      const window = await openWindow(browser, { scheme, narrow });
      for (const [name, path] of Object.entries(pages)) {
        if (narrow && !['list', 'overview', 'logs'].includes(name)) continue;
        // The forms look alike in both schemes.
        if (scheme === 'dark' && ['new', 'settings', 'triggers', 'build-log'].includes(name)) continue;
        await window.page.goto(base + path);
        if (name === 'call') {
          await window.page.getByRole('button', { name: 'Send' }).click();
          await window.page.getByLabel('Body of the answer').waitFor();
        }
        if (name.endsWith('log')) await window.page.getByText('Build failed', { exact: true }).waitFor();
        if (name === 'logs') await window.page.getByText('Live', { exact: true }).waitFor();
        await window.page.screenshot({
          path: join(FOLDER, `${name}-${scheme}${narrow ? '-narrow' : ''}.png`),
        });
      }
      await window.context.close();
    }
    await browser.close();
  });
});
