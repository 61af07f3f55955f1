import { expect, test } from 'vitest';
import { createCleanup } from './cleanup.ts';

test('everything is undone, the last first, and what fails or hangs is named afterwards', async () => {
  const cleanup = createCleanup(20);
  const done: string[] = [];
  cleanup.add('first', () => done.push('first'));
  cleanup.add('failing', () => Promise.reject(new Error('on purpose')));
  cleanup.add('hanging', () => new Promise(() => undefined));
  cleanup.add('last', () => done.push('last'));
  await expect(cleanup.run()).rejects.toThrow('not undone: hanging; Error: not undone: failing');
  expect(done).toEqual(['last', 'first']);
  await cleanup.run();
  expect(done).toEqual(['last', 'first']);
});
