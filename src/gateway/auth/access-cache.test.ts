import { expect, test } from 'vitest';
import { SlessError } from '../../errors.ts';
import type { AccessQuestion } from '../../ports/access-review.ts';
import { cacheAccess } from './access-cache.ts';

const question: AccessQuestion = { user: 'bob', verb: 'get', resource: 'functions', namespace: 'team' };

function asked(answer: () => Promise<boolean>, capacity = 10) {
  let now = 0;
  const seen: AccessQuestion[] = [];
  const access = {
    allows: (one: AccessQuestion) => {
      seen.push(one);
      return answer();
    },
  };
  const cached = cacheAccess({ access, clock: { now: () => now } }, { capacity });
  return {
    seen,
    allows: cached.allows,
    later: (milliseconds: number) => {
      now += milliseconds;
    },
  };
}

test('an answer is believed for ten seconds, a good one as a bad one', async () => {
  for (const answer of [true, false]) {
    const { seen, allows, later } = asked(async () => answer);
    expect(await Promise.all([allows(question), allows(question)])).toEqual([answer, answer]);
    later(9_999);
    expect(await allows(question)).toBe(answer);
    expect(seen).toHaveLength(1);
    later(1);
    await allows(question);
    expect(seen).toHaveLength(2);
  }
});

test('whatever differs is another question', async () => {
  const { seen, allows } = asked(async () => true);
  const others = [
    { user: 'eve' },
    { verb: 'list' },
    { resource: 'triggers' },
    { namespace: 'other' },
    { name: 'x' },
  ] as const;
  await allows(question);
  for (const change of others) await allows({ ...question, ...change });
  expect(seen).toHaveLength(others.length + 1);
});

test('a failure is told and not kept', async () => {
  let isUp = false;
  const { allows } = asked(async () => {
    if (!isUp) throw new SlessError('Unavailable', 'away');
    return true;
  });
  await expect(allows(question)).rejects.toMatchObject({ code: 'Unavailable' });
  isUp = true;
  expect(await allows(question)).toBe(true);
});

test('only so many answers are kept, the oldest leaves first', async () => {
  const { seen, allows } = asked(async () => true, 2);
  for (const name of ['a', 'b', 'c', 'c', 'b', 'a']) await allows({ ...question, name });
  expect(seen.map(({ name }) => name)).toEqual(['a', 'b', 'c', 'a']);
});
