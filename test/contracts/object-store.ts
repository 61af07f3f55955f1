import { createHash, randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { SlessError } from '../../src/errors.ts';
import type { ObjectStore } from '../../src/ports/object-store.ts';

interface OpenStore {
  readonly store: ObjectStore;
  close(): Promise<void>;
}

const text = (value: string) => Buffer.from(value);
const put = (store: ObjectStore, key: string, value: string) =>
  store.put(key, text(value), { size: text(value).length });
const read = async (store: ObjectStore, key: string) =>
  (await buffer((await store.get(key)).body)).toString();
const keys = async (store: ObjectStore, prefix: string) => {
  const found: string[] = [];
  for await (const { key } of store.list(prefix)) found.push(key);
  return found;
};

/** What every object store must do. Each test has keys of its own, so one store serves them all. */
export function objectStoreContract(name: string, open: () => Promise<OpenStore>): void {
  describe(`object store: ${name}`, () => {
    let opened: OpenStore;
    let store: ObjectStore;
    beforeAll(async () => {
      opened = await open();
      store = opened.store;
    });
    afterAll(() => opened?.close());

    test('what was put is read back, with its size and time', async () => {
      const before = Date.now();
      await put(store, 'contexts/ns/fn/1.tar.gz', 'hello');
      const { key, size, modifiedAt, body } = await store.get('contexts/ns/fn/1.tar.gz');
      expect((await buffer(body)).toString()).toBe('hello');
      expect({ key, size }).toEqual({ key: 'contexts/ns/fn/1.tar.gz', size: 5 });
      // S3 knows whole seconds only.
      expect(modifiedAt.getTime()).toBeGreaterThan(before - 2000);
      expect(modifiedAt.getTime()).toBeLessThan(Date.now() + 2000);
    });

    test('a stream of 5 MB arrives byte for byte', async () => {
      const bytes = randomBytes(5_000_000);
      const body = Readable.from([
        bytes.subarray(0, 1),
        bytes.subarray(1, 3_000_000),
        bytes.subarray(3_000_000),
      ]);
      await store.put('streams/large', body, { size: bytes.length });
      const back = await buffer((await store.get('streams/large')).body);
      const sha = (value: Uint8Array) => createHash('sha256').update(value).digest('hex');
      expect(sha(back)).toBe(sha(bytes));
    });

    test('an empty object is an object', async () => {
      await store.put('empty/bytes', new Uint8Array(), { size: 0 });
      await store.put('empty/stream', Readable.from([]), { size: 0 });
      expect(await read(store, 'empty/bytes')).toBe('');
      expect((await store.head('empty/stream'))?.size).toBe(0);
    });

    test('a second put replaces the first, whatever their lengths', async () => {
      await put(store, 'replace/it', 'a rather long first value');
      await put(store, 'replace/it', 'second');
      expect(await read(store, 'replace/it')).toBe('second');
    });

    test('what is not there is NotFound for get and nothing for head', async () => {
      await expect(store.get('missing/key')).rejects.toMatchObject({ code: 'NotFound' });
      expect(await store.head('missing/key')).toBeUndefined();
      await put(store, 'folder/child', 'x');
      await expect(store.get('folder')).rejects.toMatchObject({ code: 'NotFound' });
      expect(await store.head('folder')).toBeUndefined();
    });

    test('head tells size and nothing else is transferred', async () => {
      await put(store, 'head/it', '12345678');
      expect(await store.head('head/it')).toMatchObject({ key: 'head/it', size: 8 });
    });

    test('delete removes it, and deleting what is not there is fine', async () => {
      await put(store, 'delete/me/now', 'x');
      await store.delete('delete/me/now');
      await store.delete('delete/me/now');
      await store.delete('delete/never/was');
      expect(await store.head('delete/me/now')).toBeUndefined();
      await put(store, 'delete/me/again', 'y');
      expect(await keys(store, 'delete/')).toEqual(['delete/me/again']);
    });

    test('lists by prefix in the order of the bytes', async () => {
      const wanted = ['list/a-b', 'list/a.b', 'list/a/1', 'list/a/2/3', 'list/a0', 'list/b/B', 'list/b/a'];
      for (const key of [...wanted].reverse()) await put(store, key, key);
      expect(await keys(store, 'list/a/')).toEqual(['list/a/1', 'list/a/2/3']);
      expect(await keys(store, 'list/b/')).toEqual(['list/b/B', 'list/b/a']);
      expect(await keys(store, 'list/a/2')).toEqual(['list/a/2/3']);
      expect(await keys(store, 'list/nothing')).toEqual([]);
      expect(await keys(store, '../')).toEqual([]);
    });

    test('lists more objects than fit on one page of S3, with their sizes', async () => {
      const many = Array.from({ length: 1010 }, (_, index) => `pages/${String(index).padStart(5, '0')}`);
      for (let start = 0; start < many.length; start += 20) {
        await Promise.all(many.slice(start, start + 20).map((key) => put(store, key, 'x')));
      }
      expect(await keys(store, 'pages/')).toEqual(many);
    }, 60_000);

    test.each([
      ['too short', 7],
      ['too long', 3],
    ])('a body that is %s is refused and stores nothing', async (kind, size) => {
      const key = `lengths/${kind.replace(' ', '-')}`;
      const stream = Readable.from([text('he'), text('llo')]);
      await expect(store.put(key, stream, { size })).rejects.toMatchObject({ code: 'InvalidRequest' });
      await expect(store.put(key, text('hello'), { size })).rejects.toMatchObject({ code: 'InvalidRequest' });
      expect(await store.head(key)).toBeUndefined();
      expect(await keys(store, 'lengths/')).toEqual([]);
    });

    test('a body that fails half-way leaves what was there before', async () => {
      await put(store, 'broken/body', 'before');
      const failing = Readable.from(
        (async function* () {
          yield randomBytes(100_000);
          throw new SlessError('PayloadTooLarge', 'the caller sends too much');
        })(),
      );
      await expect(store.put('broken/body', failing, { size: 200_000 })).rejects.toMatchObject({
        code: 'PayloadTooLarge',
      });
      expect(await read(store, 'broken/body')).toBe('before');
      expect(await keys(store, 'broken/')).toEqual(['broken/body']);
    });

    test('reading can be given up, and the store serves on', async () => {
      await store.put('given/up', randomBytes(3_000_000), { size: 3_000_000 });
      const { body } = await store.get('given/up');
      body.on('error', () => {});
      body.destroy();
      expect((await store.head('given/up'))?.size).toBe(3_000_000);
    });

    test('puts of one key at once leave one of the values whole', async () => {
      const values = Array.from({ length: 8 }, (_, index) => String(index).repeat(50_000));
      await Promise.all(values.map((value) => put(store, 'race/key', value)));
      expect(values).toContain(await read(store, 'race/key'));
    });

    test.each([
      '',
      '/absolute',
      'a//b',
      'a/',
      './a',
      'a/../b',
      'a/.',
      '..',
      'a\u0000b',
      'a\nb',
      'x'.repeat(1025),
      '\ud800',
    ])('refuses the key %j in every operation', async (key) => {
      const invalid = { code: 'InvalidRequest' };
      await expect(put(store, key, 'x')).rejects.toMatchObject(invalid);
      await expect(store.get(key)).rejects.toMatchObject(invalid);
      await expect(store.head(key)).rejects.toMatchObject(invalid);
      await expect(store.delete(key)).rejects.toMatchObject(invalid);
    });

    test.each([
      'Ünï/cödé/ключ',
      'with space/plus+&?=#',
      'percent%2fslash',
      'back\\slash',
      'trailing%',
      'dots/..a/b..',
    ])('takes the key %j literally', async (key) => {
      await put(store, `odd/${key}`, key);
      expect(await read(store, `odd/${key}`)).toBe(key);
      expect(await keys(store, `odd/${key}`)).toEqual([`odd/${key}`]);
      await store.delete(`odd/${key}`);
      expect(await store.head(`odd/${key}`)).toBeUndefined();
    });
  });
}
