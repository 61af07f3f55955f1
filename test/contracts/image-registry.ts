import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isSlessError } from '../../src/errors.ts';
import type { ImageRegistry } from '../../src/ports/image-registry.ts';

/** A registry, and what a test needs beside the port: somebody who pushes. */
export interface OpenRegistry {
  readonly registry: ImageRegistry;
  /** Host of the repositories' names. */
  readonly host: string;
  /** Pushes an image whose content is that text and resolves to its digest. */
  push(repository: string, tag: string, content: string): Promise<string>;
  close(): Promise<void>;
}

/** What every registry must do. Each test has a repository of its own. */
export function imageRegistryContract(name: string, open: () => Promise<OpenRegistry>): void {
  describe(`image registry: ${name}`, () => {
    let opened: OpenRegistry;
    const repository = (suffix: string) => `${opened.host}/sless/team/${suffix}`;
    beforeAll(async () => {
      opened = await open();
    });
    afterAll(() => opened.close());

    test('a repository that does not exist has no tags, and no digest', async () => {
      expect(await opened.registry.tags(repository('none'))).toEqual([]);
      expect(await opened.registry.digest(repository('none'), 'v1')).toBeUndefined();
    });

    test('tags and the digests that they stand for', async () => {
      const one = await opened.push(repository('two'), 'a', 'one');
      const other = await opened.push(repository('two'), 'b', 'other');
      expect([...(await opened.registry.tags(repository('two')))].sort()).toEqual(['a', 'b']);
      expect(await opened.registry.digest(repository('two'), 'a')).toBe(one);
      expect(await opened.registry.digest(repository('two'), 'b')).toBe(other);
      expect(one).not.toBe(other);
    });

    test('many tags come whole, over pages', async () => {
      const tags = Array.from({ length: 12 }, (_, index) => `t${String(index).padStart(2, '0')}`);
      for (const tag of tags) await opened.push(repository('many'), tag, 'the same');
      expect([...(await opened.registry.tags(repository('many')))].sort()).toEqual(tags);
    });

    test('removing a digest takes each of its tags, and no other; again is fine', async () => {
      const gone = await opened.push(repository('gone'), 'a', 'gone');
      await opened.push(repository('gone'), 'b', 'gone');
      const kept = await opened.push(repository('gone'), 'c', 'kept');
      await opened.registry.remove(repository('gone'), gone);
      expect(await opened.registry.digest(repository('gone'), 'a')).toBeUndefined();
      expect(await opened.registry.digest(repository('gone'), 'b')).toBeUndefined();
      expect(await opened.registry.digest(repository('gone'), 'c')).toBe(kept);
      await opened.registry.remove(repository('gone'), gone);
    });
  });
}

/** The digest of some bytes as registries write it. */
export const digestOf = (bytes: string | Uint8Array): string =>
  `sha256:${createHash('sha256').update(bytes).digest('hex')}`;

/** Whether an error is one of those, for tests that expect refusals. */
export const refusedAs = (code: Parameters<typeof isSlessError>[1]) => (error: unknown) =>
  isSlessError(error, code);
