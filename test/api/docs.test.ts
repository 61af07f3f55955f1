import { type Browser, chromium } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findBinary } from '../contracts/binary.ts';
import { type ApiServer, startApi, type Tenant, tenantOf } from './api-server.ts';
import { document, operations } from './contract/document.ts';

let api: ApiServer;
let alice: Tenant;
beforeAll(async () => {
  api = await startApi();
  alice = await tenantOf(api, 'alice');
});
afterAll(() => api.close());

const get = async (path: string, headers: Record<string, string> = {}) =>
  fetch(`${api.url}${path}`, { headers });

/** What the page loads, as it names it. */
async function loaded(): Promise<string[]> {
  const page = await (await get('/v1/docs')).text();
  return [...page.matchAll(/(?:src|href|data-url)="([^"]+)"/g)]
    .map(([, url = '']) => url)
    .filter((url) => url !== 'data:,');
}

describe('the page', () => {
  it('needs no token, runs nothing of its own text and loads nothing from elsewhere', async () => {
    const answer = await get('/v1/docs');
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
    const policy = answer.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'");
    expect(policy).not.toContain('unsafe');
    expect(await answer.text()).not.toMatch(/<script(?![^>]*\bsrc=)|<style|\son\w+=|\sstyle=/);
    for (const url of await loaded()) expect(url).toMatch(/^docs\/[0-9a-f]{12}\//);
  });

  it('has everything that it loads, for good and compressed', async () => {
    for (const url of new Set(await loaded())) {
      const answer = await get(`/v1/${url}`, { 'accept-encoding': 'gzip' });
      expect(answer.status, url).toBe(200);
      expect(answer.headers.get('cache-control')).toContain('immutable');
      expect(answer.headers.get('content-encoding')).toBe('gzip');
      expect((await answer.text()).length, url).toBeGreaterThan(100);
    }
  });

  it('shows the document of this very version', async () => {
    const url = (await loaded()).find((each) => each.endsWith('.json'));
    expect(await (await get(`/v1/${url}`)).json()).toEqual(document);
  });

  it('is found with a slash behind it too', async () => {
    expect((await get('/v1/docs/')).url).toBe(`${api.url}/v1/docs`);
  });

  it('opens nothing else: whatever is not of the page wants a token', async () => {
    for (const path of [
      '/v1/docs/000000000000/page.js',
      '/v1/docs/page.js',
      '/v1/docs/x/..%2f..%2fapp.ts',
      '/v1/openapi.json',
    ])
      expect((await get(path)).status, path).toBe(401);
  });
});

const program = findBinary('chromium', 'CHROMIUM');

describe.skipIf(program === undefined)('in a browser', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: program ?? '', args: ['--no-sandbox'] });
  });
  afterAll(() => browser?.close());

  it('lists every operation, opens one, and sends a request with a token that was typed in', async () => {
    const page = await browser.newPage({ viewport: { width: 1280, height: 1000 } });
    page.setDefaultTimeout(8000);
    const [faults, foreign]: [string[], string[]] = [[], []];
    page.on('console', (message) => message.type() === 'error' && faults.push(message.text()));
    page.on('pageerror', (error) => faults.push(String(error)));
    page.on('request', (request) => {
      if (!/^(data|blob):/.test(request.url()) && !request.url().startsWith(api.url))
        foreign.push(request.url());
    });
    await page.goto(`${api.url}/v1/docs`);
    await page
      .locator('.opblock')
      .nth(operations.length - 1)
      .waitFor();
    expect(await page.locator('.opblock').count()).toBe(operations.length);
    await page.getByRole('button', { name: 'Authorize' }).click();
    await page.locator('#auth-bearer-value').fill(alice.token);
    await page.getByRole('button', { name: 'Apply credentials' }).click();
    await page.getByRole('button', { name: 'Close' }).last().click();
    await page.locator('#operations-namespaces-ensureNamespace .opblock-summary-control').click();
    await page.locator('.try-out__btn').click();
    await page.locator('.parameters input').fill(alice.namespace);
    await page.locator('.execute').click();
    const answer = page.locator('.live-responses-table tbody');
    await answer.first().waitFor();
    expect(await answer.first().textContent()).toContain('"status": "exists"');
    expect(faults).toEqual([]);
    expect(foreign).toEqual([]);
  });
});
