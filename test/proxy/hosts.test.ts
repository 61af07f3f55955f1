import { expect, test } from 'vitest';
import { pod, raw, stage } from './stage.ts';

const ask = (port: number, host: string, target: string) =>
  raw(port, `GET ${target} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);

test('with a host of its own the proxy answers there alone', async () => {
  const { port: target } = await pod((request, response) => response.end(`saw ${request.url}`));
  const { port, serve } = await stage({ host: 'fn.test' });
  serve('ns', 'f', [target]);
  expect((await ask(port, 'fn.test', '/fn/ns/f/x')).body).toContain('saw /x');
  expect((await ask(port, 'FN.test:8080', '/fn/ns/f/x')).status).toBe(200);
  expect((await ask(port, 'api.test', '/fn/ns/f/x')).status).toBe(418);
  expect((await ask(port, 'fn.test', '/v1/x')).status).toBe(404);
  expect((await ask(port, 'fn.test', '/')).status).toBe(404);
});

test('with a domain each function has a host, under the same rules', async () => {
  const { port: target } = await pod((request, response) =>
    response
      .setHeader('content-type', 'text/html')
      .end(`saw ${request.url} ${request.headers['x-forwarded-prefix']}`),
  );
  const { port, serve } = await stage({ domain: 'fn.test' });
  serve('ns', 'f', [target]);
  const own = await ask(port, 'f--ns.fn.test', '/fn/a?b=1');
  expect(own.body).toContain('saw /fn/a?b=1 undefined');
  expect(own.head).not.toContain('sandbox');
  const byPath = await ask(port, 'api.test', '/fn/ns/f/x');
  expect(byPath.body).toContain('saw /x /fn/ns/f');
  expect(byPath.head).toContain('sandbox');
  for (const host of ['g--ns.fn.test', 'f.fn.test', 'x.f--ns.fn.test', 'f--other.fn.test']) {
    expect((await ask(port, host, '/')).status, host).toBe(404);
  }
  expect((await ask(port, 'f--ns.fn.test', '/_sless/health')).status).toBe(404);
  expect((await ask(port, 'f--ns.fn.test', '/%2e%2e/x')).status).toBe(400);
  expect((await ask(port, 'api.test', '/v1')).status).toBe(418);
});
