import { expect, test } from 'vitest';
import { startLoad } from '../load.ts';
import { declareFunction, said } from './served-function.ts';
import type { Stage } from './stage.ts';

/** From zips to answers, good ones and bad ones. */
export function uploads(stage: Stage): void {
  test('a second version comes without a failed call', async () => {
    const fn = await declareFunction(stage);
    const first = await fn.serve('first');
    const load = startLoad(fn.url);
    const second = await fn.serve('second');
    const { calls, failed, answers } = await load.stop();
    expect(failed).toEqual([]);
    expect(calls).toBeGreaterThan(10);
    expect(answers).toEqual([said('first'), said('second')]);
    expect(second).not.toBe(first);
    expect(fn.jobs.all()).toHaveLength(2);
  });

  test('a version that does not load leaves the last good one serving, says why, and is mended', async () => {
    const fn = await declareFunction(stage);
    await fn.serve('good');
    const load = startLoad(fn.url);
    const broken = { 'handler.py': 'import nothing_of_that_name\n' };
    const key = await fn.tenant.upload(fn.name, broken);
    const shown = await fn.until('a reason', ({ conditions }) =>
      conditions.some(({ type, reason }) => type === 'Ready' && reason === 'CrashLoop'),
    );
    expect(shown.s3_key).toBe(key);
    expect(shown.message).toContain("No module named 'nothing_of_that_name'");
    expect(shown.conditions).toContainEqual(expect.objectContaining({ type: 'Available', status: 'True' }));
    await fn.answers(200, said('good'));
    await fn.serve('mended');
    expect((await load.stop()).failed).toEqual([]);
  });
}
