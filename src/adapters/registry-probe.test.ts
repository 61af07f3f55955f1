import { expect, test } from 'vitest';
import { type Handler, startScripted } from '../../test/api-server/scripted.ts';
import { acceptsAnonymousPush } from './registry-probe.ts';

const probe = async (handler: Handler, path = '') => {
  const server = await startScripted(handler);
  const registry = `${new URL(server.origin).host}${path}`;
  return { server, accepts: await acceptsAnonymousPush(fetch, { registry, insecure: true }) };
};
const says =
  (status: number, headers: Record<string, string> = {}): Handler =>
  (_seen, response) =>
    void response.writeHead(status, headers).end();

test('a registry that begins an upload for nobody is open, and the upload is taken back', async () => {
  const location = '/v2/team/sless/anonymous-push-probe/blobs/uploads/1234?state=x';
  const { server, accepts } = await probe(says(202, { location }), '/team');
  expect(accepts).toBe(true);
  expect(server.seen.map(({ method, path }) => `${method} ${path}`)).toEqual([
    'POST /v2/team/sless/anonymous-push-probe/blobs/uploads/',
    `DELETE ${location.split('?')[0]}`,
  ]);
});

test.each([401, 403])('one that answers %i is not', async (status) => {
  expect((await probe(says(status))).accepts).toBe(false);
});

test('one that answers otherwise, elsewhere, or not at all, has not said', async () => {
  for (const status of [301, 404, 405, 500]) expect((await probe(says(status))).accepts).toBeUndefined();
  const away = await acceptsAnonymousPush(fetch, { registry: '127.0.0.1:1', insecure: true });
  expect(away).toBeUndefined();
  const elsewhere = await startScripted(says(204));
  const { accepts } = await probe(says(202, { location: `${elsewhere.origin}/upload` }));
  expect(accepts).toBe(true);
  expect(elsewhere.seen).toEqual([]);
});
