import { expect, test } from 'vitest';
import { pod, rawRequest, stage } from './stage.ts';

/** Two functions that say who they are and what they saw. */
async function two() {
  const saying = (name: string) =>
    pod((request, response) => response.end(`${name} ${request.method} ${request.url}`));
  const [f, g] = [await saying('a/f'), await saying('b/g')];
  const set = await stage();
  set.serve('a', 'f', [f.port]);
  set.serve('b', 'g', [g.port]);
  return set;
}

test('raw paths with dots, encoded slashes, backslashes, NUL and bad escapes never reach another function or route', async () => {
  const { port } = await two();
  const evil = [
    ...['%2e%2e/%2e%2e/b/g', '../../b/g', '..%2f..%2fb/g', '%2f..%2f..%2fb/g', '%252e%252e/%252e%252e/b/g'],
    ...[
      '..;/..;/b/g',
      '..\\..\\b\\g',
      '%5c..%5c..%5cb%5cg',
      '%00',
      'x%00/../b',
      '%zz',
      '%',
      '.%2e/',
      './',
      '..',
    ],
    ...['%c0%ae%c0%ae/x', '%u002e%u002e/', '%2e%2e%2f%2e%2e%2fv1'],
  ];
  for (const path of evil) {
    const answer = await rawRequest(port, `/fn/a/f/${path}`);
    expect([200, 400, 404], path).toContain(answer.status);
    if (answer.status === 200) expect(answer.body).toContain(`a/f GET /${path}`);
    else expect(JSON.parse(answer.body)).toMatchObject({ code: expect.any(String) });
  }
  for (const path of evil.slice(0, 10))
    expect((await rawRequest(port, `/fn/a/f/${path}`)).status, path).toBe(400);
  for (const path of ['/fn/a%2ff', '/fn/a/f%2f..', '/fn/../a/f', '/fn/./a/f', '/fn/%2e%2e/v1']) {
    expect((await rawRequest(port, path)).status, path).toBe(400);
  }
  for (const path of ['/fn//a/f', '/fn/a//f', '/fn', '/fn/', '/fn/a', '/fn/%61/f', '/fn/A/f', '/fn/a/F']) {
    expect((await rawRequest(port, path)).status, path).toBe(404);
  }
  // Not the proxy's at all, and not turned into it.
  for (const path of ['//fn/a/f', '/./fn/a/f', '/%66n/a/f', '/FN/a/f']) {
    expect((await rawRequest(port, path)).status, path).toBe(418);
  }
});

test('an absolute-form target and a second Host are refused', async () => {
  const { port } = await two();
  expect((await rawRequest(port, 'http://x/fn/a/f')).status).toBe(400);
  expect((await rawRequest(port, '/fn/a/f', 'Host: y\r\n')).status).toBe(400);
  expect((await rawRequest(port, '/fn/a/f', 'hOST: x\r\n')).status).toBe(400);
});

test('the function sees its exact path and query', async () => {
  const { port } = await two();
  const seen = async (target: string, method?: string): Promise<string> =>
    (await rawRequest(port, target, '', method)).body.replace(/^\w+\r\n|\r\n0\r\n\r\n$/g, '');
  expect(await seen('/fn/a/f')).toBe('a/f GET /');
  expect(await seen('/fn/a/f/')).toBe('a/f GET /');
  expect(await seen('/fn/a/f?x')).toBe('a/f GET /?x');
  const target = '/a%2Fb?x=1&x=2&y=a+b%20c&z=';
  for (const method of ['GET', 'OPTIONS', 'PROPFIND', 'DELETE', 'PATCH', 'REPORT', 'MKCOL', 'PURGE']) {
    expect(await seen(`/fn/a/f${target}`, method)).toBe(`a/f ${method} ${target}`);
  }
  expect(await seen('/fn/a/f//x//y/?a=//&b=..%2f&c=\\&d=%zz')).toBe(
    'a/f GET //x//y/?a=//&b=..%2f&c=\\&d=%zz',
  );
});

test('the routes of the runtime itself are not there, however they are written', async () => {
  const { port } = await two();
  const absent = await rawRequest(port, '/fn/a/none');
  for (const path of [
    '_sless/health',
    '_sless',
    '%5fsless/health',
    '/_sless/health',
    '_sless%2fhealth',
    '%255fsless/x',
  ]) {
    const answer = await rawRequest(port, `/fn/a/f/${path}`);
    expect(answer.status, path).toBe(404);
    expect(answer.body).toBe(absent.body);
  }
});
