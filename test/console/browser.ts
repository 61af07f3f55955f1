import axe from 'axe-core';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { expect } from 'vitest';
import { findBinary } from '../contracts/binary.ts';

const program = findBinary('chromium', 'CHROMIUM');

/** Whether pages can be looked at here; says so aloud when they cannot. */
export function hasChromium(): boolean {
  if (program === undefined)
    console.warn('SKIPPED: the console in a browser (no chromium on the PATH, and CHROMIUM names none)');
  return program !== undefined;
}

/** Debian's own browser: nothing is downloaded. In a container it has no sandbox of its own. */
export function openBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: program ?? 'chromium',
    args: ['--no-sandbox', '--disable-dev-shm-usage'],
  });
}

interface Scene {
  readonly scheme?: 'light' | 'dark';
  readonly narrow?: boolean;
}

/** Somebody's window. What goes wrong in its scripts, or against the policy of the page, fails the test that closes it. */
export interface Window {
  readonly page: Page;
  readonly context: BrowserContext;
  close(): Promise<void>;
}

const NARROW = { width: 390, height: 844 };
const WIDE = { width: 1280, height: 800 };

export async function openWindow(
  browser: Browser,
  { scheme = 'light', narrow = false }: Scene = {},
): Promise<Window> {
  const context = await browser.newContext({
    colorScheme: scheme,
    viewport: narrow ? NARROW : WIDE,
    reducedMotion: 'reduce',
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  context.setDefaultTimeout(10_000);
  const page = await context.newPage();
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('console', (line) => {
    // That an answer was an error is told to the visitor; the browser says it here too.
    if (line.type() === 'error' && !line.text().startsWith('Failed to load resource'))
      faults.push(line.text());
  });
  return {
    page,
    context,
    close: async () => {
      await context.close();
      expect(faults).toEqual([]);
    },
  };
}

/** What axe-core finds wrong with a page, one line a rule and place. */
export async function violations(page: Page): Promise<readonly string[]> {
  // The policy of the pages lets no foreign script in; what Playwright evaluates is not bound by it.
  await page.evaluate(axe.source);
  const found = await page.evaluate(async () => {
    const { violations: all } = await (globalThis as unknown as { axe: typeof axe }).axe.run();
    return all.flatMap(({ id, nodes }) =>
      nodes.map(({ target, failureSummary }) => `${id}: ${target.join(' ')} ${failureSummary}`),
    );
  });
  return found;
}
