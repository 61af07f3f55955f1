import { type Row, rowsOf } from './row.ts';

const { good, bad, badName, update } = rowsOf('FunctionJob', { functionRef: 'hello', runID: 1 });

const KIB = 1024;

export const FUNCTION_JOB_ROWS: readonly Row[] = [
  ...['a', '1a', 'x'.repeat(40)].map((name) => good(`name ${name}`, {}, name)),
  ...['x'.repeat(41), 'x'.repeat(52), 'x'.repeat(63), 'x'.repeat(64), 'a-', 'A'].map(badName),
  ...['other/hello', '', 'x'.repeat(41)].map((functionRef) =>
    bad(`function ${functionRef}`, { functionRef }, 'functionRef'),
  ),
  ...['{}', 'null', '"\\u0000"', '{"__proto__":1}', '"'.repeat(1000), 'not JSON: the hook says so'].map(
    (eventJSON) => good(`event ${eventJSON.slice(0, 20)}`, { eventJSON }),
  ),
  ...[60, 96].map((size) => good(`an event of ${size} KiB`, { eventJSON: 'x'.repeat(size * KIB) })),
  ...[97, 130, 300].map((size) =>
    bad(`an event of ${size} KiB`, { eventJSON: 'x'.repeat(size * KIB) }, 'eventJSON'),
  ),
  good('an event of 96 KiB in emoji', { eventJSON: '😀'.repeat(24 * KIB) }),
  bad('an event of 97 KiB in emoji', { eventJSON: '😀'.repeat(24 * KIB + 1) }, '96 KiB'),
  ...[0, 1, 4_294_967_296, Number.MAX_SAFE_INTEGER].map((runID) => good(`run ${runID}`, { runID })),
  ...[-1, 1.5, '1', 9_007_199_254_740_992].map((runID) =>
    bad(`run ${JSON.stringify(runID)}`, { runID }, 'runID'),
  ),
  ...[0, 10].map((retries) => good(`${retries} retries`, { retries })),
  ...[-1, 11].map((retries) => bad(`${retries} retries`, { retries }, 'retries')),
  ...[1, 86_400].map((timeoutSeconds) => good(`time limit ${timeoutSeconds}`, { timeoutSeconds })),
  ...[0, 86_401].map((timeoutSeconds) =>
    bad(`time limit ${timeoutSeconds}`, { timeoutSeconds }, 'timeoutSeconds'),
  ),
  good('no time to live', { ttlSecondsAfterFinished: 0 }),
  bad('less than no time to live', { ttlSecondsAfterFinished: -1 }, 'ttlSecondsAfterFinished'),
  update('a higher run', { runID: 2 }),
  update('a lower run: the hook does nothing', { runID: 0 }),
  update('another event', { eventJSON: '[]' }),
  update('another function', { functionRef: 'other' }, 'cannot be changed'),
];
