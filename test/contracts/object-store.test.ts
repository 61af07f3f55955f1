import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openDirectoryStore } from '../../src/adapters/directory-store.ts';
import { createS3Store } from '../../src/adapters/s3-store.ts';
import { objectStoreContract } from './object-store.ts';
import { findVersitygw, startVersitygw } from './versitygw.ts';

const temporary = () => mkdtemp(join(tmpdir(), 'sless-store-'));

objectStoreContract('directory', async () => {
  const folder = await temporary();
  return {
    store: await openDirectoryStore({ folder }),
    close: () => rm(folder, { recursive: true, force: true }),
  };
});

const versitygw = findVersitygw();

if (versitygw === undefined) {
  console.warn('SKIPPED: the S3 store against a real server (no versitygw; name one in VERSITYGW)');
  test.skip('object store: s3 (no versitygw; name one in VERSITYGW)', () => {});
} else {
  objectStoreContract('s3', async () => {
    const { endpoint, bucket, close, ...keys } = await startVersitygw(versitygw);
    const store = createS3Store({ endpoint, bucket, region: 'us-east-1', credentials: async () => keys });
    return {
      store,
      close: async () => {
        store.close();
        await close();
      },
    };
  });

  test('s3: wrong credentials, a missing bucket and an absent server are Unavailable, without a secret in the error', async () => {
    const { endpoint, bucket, close, ...keys } = await startVersitygw(versitygw);
    const options = { endpoint, bucket, region: 'us-east-1', credentials: async () => keys };
    const stores = [
      createS3Store({ ...options, credentials: async () => ({ ...keys, secretAccessKey: 'wrong-one' }) }),
      createS3Store({ ...options, bucket: 'other' }),
      createS3Store({ ...options, endpoint: 'http://127.0.0.1:1' }),
    ];
    for (const store of stores) {
      const failure = await store.put('a/b', Buffer.from('x'), { size: 1 }).catch((error: unknown) => error);
      expect(failure).toMatchObject({ code: 'Unavailable' });
      expect(String(failure)).not.toMatch(/wrong-one|secret/);
      store.close();
    }
    await close();
  });

  test('s3: credentials are asked for again, so that rotated ones are taken up', async () => {
    const { endpoint, bucket, close, ...keys } = await startVersitygw(versitygw);
    onTestFinished(close);
    let current = { ...keys, secretAccessKey: 'an-old-one' };
    const store = createS3Store({ endpoint, bucket, region: 'us-east-1', credentials: async () => current });
    await expect(store.head('a/b')).rejects.toMatchObject({ code: 'Unavailable' });
    current = keys;
    await expect(store.head('a/b')).resolves.toBeUndefined();
    store.close();
  });
}

test('directory: what a crash left half-written is thrown away at the next start, and objects stay', async () => {
  const folder = await temporary();
  const first = await openDirectoryStore({ folder });
  await first.put('kept/object', Buffer.from('x'), { size: 1 });
  await writeFile(join(folder, 'unfinished', 'half'), 'xx');
  const second = await openDirectoryStore({ folder });
  expect((await second.head('kept/object'))?.size).toBe(1);
  expect(await readdir(join(folder, 'unfinished'))).toEqual([]);
  await rm(folder, { recursive: true });
});

test('directory: deletions leave no empty folders, and puts beside them succeed', async () => {
  const folder = await temporary();
  const store = await openDirectoryStore({ folder });
  for (let round = 0; round < 50; round++) {
    await Promise.all([
      store.put('ns/fn/a', Buffer.from('x'), { size: 1 }),
      store.delete('ns/fn/b'),
      store.put('ns/fn/b', Buffer.from('x'), { size: 1 }),
      store.delete('ns/fn/a'),
    ]);
  }
  await store.delete('ns/fn/a');
  await store.delete('ns/fn/b');
  expect(await readdir(join(folder, 'objects'))).toEqual([]);
  await rm(folder, { recursive: true });
});

test('directory: a key may be the beginning of another', async () => {
  const folder = await temporary();
  const store = await openDirectoryStore({ folder });
  for (const key of ['a/b', 'a', 'a/b/c']) await store.put(key, Buffer.from(key), { size: key.length });
  const found: string[] = [];
  for await (const { key } of store.list('')) found.push(key);
  expect(found).toEqual(['a', 'a/b', 'a/b/c']);
  await rm(folder, { recursive: true });
});

test('directory: keys that differ only in case stay apart on every file system', async () => {
  const folder = await temporary();
  const store = await openDirectoryStore({ folder });
  await store.put('a/README', Buffer.from('upper'), { size: 5 });
  await store.put('a/readme', Buffer.from('lower'), { size: 5 });
  const names = await readdir(join(folder, 'objects', 'a'));
  expect(new Set(names.map((name) => name.toLowerCase())).size).toBe(2);
  await rm(folder, { recursive: true });
});
