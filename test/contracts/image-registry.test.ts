import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createOciRegistry } from '../../src/adapters/oci-registry.ts';
import type { RegistryCredentials } from '../../src/adapters/oci-registry-request.ts';
import { findRegistry, startRegistry } from './distribution.ts';
import { digestOf, imageRegistryContract, type OpenRegistry } from './image-registry.ts';
import { createMemoryRegistry } from './memory-registry.ts';

const MANIFEST = 'application/vnd.oci.image.manifest.v1+json';

/** Pushes an image of one layer by the calls of the distribution spec. */
async function push(
  repository: string,
  { tag, content, login }: { tag: string; content: string; login?: string },
) {
  const slash = repository.indexOf('/');
  const root = `http://${repository.slice(0, slash)}/v2/${repository.slice(slash + 1)}`;
  const authorization: Record<string, string> = login === undefined ? {} : { authorization: login };
  const blob = async (bytes: string) => {
    const begun = await fetch(`${root}/blobs/uploads/`, { method: 'POST', headers: authorization });
    const url = new URL(begun.headers.get('location') ?? '', root);
    url.searchParams.set('digest', digestOf(bytes));
    const put = await fetch(url, {
      method: 'PUT',
      body: bytes,
      headers: { ...authorization, 'content-type': 'application/octet-stream' },
    });
    if (put.status !== 201) throw new Error(`blob: HTTP ${put.status}`);
    return { digest: digestOf(bytes), size: Buffer.byteLength(bytes) };
  };
  const config = await blob('{"architecture":"amd64","os":"linux","rootfs":{"type":"layers","diff_ids":[]}}');
  const layer = await blob(content);
  const manifest = JSON.stringify({
    schemaVersion: 2,
    mediaType: MANIFEST,
    config: { mediaType: 'application/vnd.oci.image.config.v1+json', ...config },
    layers: [{ mediaType: 'application/vnd.oci.image.layer.v1.tar', ...layer }],
  });
  const put = await fetch(`${root}/manifests/${tag}`, {
    method: 'PUT',
    body: manifest,
    headers: { ...authorization, 'content-type': MANIFEST },
  });
  if (put.status !== 201) throw new Error(`manifest: HTTP ${put.status}`);
  return digestOf(manifest);
}

imageRegistryContract('in memory', async () => createMemoryRegistry());

const binary = findRegistry();

if (binary === undefined) {
  console.warn(
    'SKIPPED: the registry client against a real registry (none found; name one in REGISTRY_BINARY)',
  );
  test.skip('image registry: OCI (no registry; name one in REGISTRY_BINARY)', () => {});
} else {
  const opening = async (options: Parameters<typeof startRegistry>[1], login?: RegistryCredentials) => {
    const { host, close } = await startRegistry(binary, options);
    const basic = login && `Basic ${btoa(`${login.username}:${login.password}`)}`;
    const credentials = async (of: string) => (of === host ? login : undefined);
    const opened: OpenRegistry = {
      host,
      close,
      registry: createOciRegistry(fetch, { insecure: true, credentials, pageSize: 5 }),
      push: (repository, tag, content) =>
        push(repository, { tag, content, ...(basic ? { login: basic } : {}) }),
    };
    return opened;
  };
  imageRegistryContract('OCI', () => opening({}));

  // user: carol, password: pass:word (htpasswd -B)
  const htpasswd = 'carol:$2y$04$t90c4Y8QeF5mhKjgvaGls.7yXmk/YXj2oShJzM52baHS5Z3fmBiQ2\n';
  const login = { username: 'carol', password: 'pass:word' };
  imageRegistryContract('OCI with a login', () => opening({ htpasswd }, login));

  describe('a registry that does not want us', () => {
    test('no login where one is wanted, and a wrong one, are told apart from an absent registry', async () => {
      const { host, close } = await startRegistry(binary, { htpasswd });
      const none = createOciRegistry(fetch, { insecure: true });
      const wrong = createOciRegistry(fetch, {
        insecure: true,
        credentials: async () => ({ ...login, password: 'x' }),
      });
      await expect(none.tags(`${host}/a/b`)).rejects.toMatchObject({ code: 'RegistryRefused' });
      await expect(wrong.tags(`${host}/a/b`)).rejects.toMatchObject({ code: 'RegistryRefused' });
      await close();
      await expect(wrong.tags(`${host}/a/b`)).rejects.toMatchObject({ code: 'Unavailable' });
    });

    test('a registry that deletes nothing says how it would', async () => {
      const opened = await opening({ deletes: false });
      const digest = await opened.push(`${opened.host}/a/b`, 'v1', 'kept');
      await expect(opened.registry.remove(`${opened.host}/a/b`, digest)).rejects.toMatchObject({
        code: 'NotImplemented',
        message: expect.stringContaining('REGISTRY_STORAGE_DELETE_ENABLED'),
      });
      await opened.close();
    });
  });
}

describe('token authentication', () => {
  const seen: { url: string; authorization: string | undefined }[] = [];
  let host = '';
  const server = createServer((request, response) => {
    const { url = '', headers } = request;
    seen.push({ url, authorization: headers.authorization });
    if (url.startsWith('/token?')) return void response.end(JSON.stringify({ token: 'short-lived' }));
    if (headers.authorization === 'Bearer short-lived')
      return void response.end(JSON.stringify({ tags: ['v1'] }));
    const challenge = `Bearer realm="http://${host}/token",service="reg",scope="repository:a/b:pull"`;
    response.writeHead(401, { 'www-authenticate': challenge }).end();
  });
  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => void server.close());

  test('the password goes to the realm alone, and what it gives is used and kept', async () => {
    const credentials = async () => ({ username: 'u', password: 'p' });
    const registry = createOciRegistry(fetch, { insecure: true, credentials });
    expect(await registry.tags(`${host}/a/b`)).toEqual(['v1']);
    expect(await registry.tags(`${host}/a/b`)).toEqual(['v1']);
    expect(seen.map(({ authorization }) => authorization)).toEqual([
      undefined,
      `Basic ${btoa('u:p')}`,
      'Bearer short-lived',
      'Bearer short-lived',
    ]);
    expect(seen[1]?.url).toBe('/token?service=reg&scope=repository%3Aa%2Fb%3Apull');
  });

  test('a realm without TLS gets no password from a registry that has TLS', async () => {
    const challenge = { 'www-authenticate': 'Bearer realm="http://elsewhere.example/token"' };
    const answers = async () => new Response(null, { status: 401, headers: challenge });
    const registry = createOciRegistry(answers, { insecure: false, credentials: async () => undefined });
    await expect(registry.tags('registry.example/a/b')).rejects.toMatchObject({
      code: 'RegistryRefused',
      message: expect.stringContaining('unencrypted'),
    });
  });
});
