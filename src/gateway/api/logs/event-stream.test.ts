import { expect, test } from 'vitest';
import { eventStream } from './event-stream.ts';

/** Lines of which none comes: they are waited for, until all is closed; then there is nothing to wait for. */
function silence() {
  const closed = Promise.withResolvers<void>();
  let asked = 0;
  return {
    asked: () => asked,
    take: async () => {
      asked += 1;
      await closed.promise;
      return [];
    },
    idle: () => false,
    close: () => closed.resolve(),
  };
}

test.each(['its reader leaves', 'the service ends'])('asks for nothing more once %s', async (who) => {
  const followed = silence();
  const ending = new AbortController();
  const reader = eventStream({
    lines: [],
    position: new Map(),
    followed,
    ending: ending.signal,
    now: Date.now,
    heartBeatMs: 200,
  }).getReader();
  await reader.read();
  const next = reader.read();
  if (who === 'its reader leaves') await reader.cancel();
  else ending.abort();
  await next;
  expect(followed.asked()).toBeLessThanOrEqual(1);
});
