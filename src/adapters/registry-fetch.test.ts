import { once } from 'node:events';
import { createServer as createPlain } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { issueCertificate } from '../certificate/issue.ts';
import { createOciRegistry } from './oci-registry.ts';
import { createRegistryFetch } from './registry-fetch.ts';
import { acceptsAnonymousPush } from './registry-probe.ts';

const issued = await issueCertificate(['localhost'], Date.now());
const answer = (_: unknown, response: import('node:http').ServerResponse) =>
  void response.writeHead(200, { 'content-type': 'application/json' }).end('{"tags": ["v1"]}');
const tls = createServer({ cert: issued.certificate, key: issued.key }, answer);
const plain = createPlain(answer);
const hostOf = (server: typeof tls | typeof plain) => `localhost:${(server.address() as AddressInfo).port}`;

beforeAll(async () => {
  for (const server of [tls, plain]) {
    server.listen(0, 'localhost');
    await once(server, 'listening');
  }
});
afterAll(() => {
  for (const server of [tls, plain]) {
    server.closeAllConnections();
    server.close();
  }
});

const tags = async (server: typeof tls | typeof plain, trust: Parameters<typeof createRegistryFetch>[0]) => {
  const access = createRegistryFetch(trust);
  const registry = createOciRegistry(access.fetch, { insecure: trust.insecure });
  return registry.tags(`${hostOf(server)}/a/b`).finally(() => access.close());
};

test("a registry with its own CA is trusted by it, and by nobody's otherwise", async () => {
  expect(await tags(tls, { insecure: false, ca: issued.authority })).toEqual(['v1']);
  await expect(tags(tls, { insecure: false })).rejects.toMatchObject({ code: 'Unavailable' });
});

test('an insecure one may speak TLS with any certificate, or none', async () => {
  expect(await tags(tls, { insecure: true })).toEqual(['v1']);
  expect(await tags(plain, { insecure: true })).toEqual(['v1']);
  await expect(tags(plain, { insecure: false })).rejects.toMatchObject({ code: 'Unavailable' });
});

test('whether anyone may push is asked in the same way', async () => {
  const access = createRegistryFetch({ insecure: false, ca: issued.authority });
  // It answers 200 where 202 would mean that an upload has begun: it was reached, and has not said.
  expect(
    await acceptsAnonymousPush(access.fetch, { registry: hostOf(tls), insecure: false }),
  ).toBeUndefined();
  await access.close();
});
