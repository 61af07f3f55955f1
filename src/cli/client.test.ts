import { expect, test } from 'vitest';
import { createClient } from './client.ts';

const TARGET = { endpoint: 'http://127.0.0.1:1', token: 't', namespace: 'n' };
type Answer = number | 'broken';

/** A client of a platform that answers so, one after another, and then 200. */
function clientOf(...answers: readonly Answer[]) {
  const left = [...answers];
  const slept: number[] = [];
  const fetch = async (): Promise<Response> => {
    const next = left.shift() ?? 200;
    if (next === 'broken') throw new TypeError('fetch failed', { cause: { code: 'ECONNRESET' } });
    return Response.json(next === 200 ? { items: [] } : { error: 'x', code: 'Unavailable' }, {
      status: next,
    });
  };
  const client = createClient({ fetch, sleep: async (ms) => void slept.push(ms) }, TARGET);
  return { client, slept, left };
}

test.each<readonly [string, readonly Answer[]]>([
  ['a connection that breaks', ['broken', 'broken']],
  ['a gateway between two pods', [502, 504, 503, 429]],
])('what only reads is tried again over %s', async (_, answers) => {
  const { client, slept } = clientOf(...answers);
  await client.ask('GET', '/functions');
  expect(slept).toHaveLength(answers.length);
});

test('a platform that stays away is told after three tries', async () => {
  const { client, left } = clientOf('broken', 'broken', 'broken', 'broken');
  await expect(client.ask('GET', '/functions')).rejects.toThrow('cannot be reached: ECONNRESET');
  expect(left).toHaveLength(1);
});

test.each<Answer>(['broken', 502, 504, 500])(
  'a change is sent once where it may have been done: %s',
  async (answer) => {
    const { client, slept } = clientOf(answer);
    await expect(client.ask('POST', '/functions')).rejects.toThrow();
    expect(slept).toEqual([]);
  },
);
