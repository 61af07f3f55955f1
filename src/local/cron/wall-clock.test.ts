import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isSchedule, scheduleMistake } from '../../resources/trigger/schedule.ts';
import { lastDue, wallClock } from './wall-clock.ts';

const MINUTE = 60_000;

/** Every time that a schedule falls due from one instant up to another, in UTC. */
function due(schedule: string, timeZone: string, [from, to]: readonly [string, string]): string[] {
  const clock = wallClock(schedule, timeZone);
  const times: string[] = [];
  for (let minute = Date.parse(from); minute < Date.parse(to); minute += MINUTE)
    if (clock.isDue(minute)) times.push(new Date(minute).toISOString().slice(0, 16));
  return times;
}

test('a time that the clock is put forward over is left out, and comes the day after', () => {
  expect(due('30 2 * * *', 'Europe/Berlin', ['2026-03-28T00:00Z', '2026-03-31T00:00Z'])).toEqual([
    '2026-03-28T01:30',
    '2026-03-30T00:30',
  ]);
});

test('a time that the clock is put back over comes twice', () => {
  expect(due('30 2 * * *', 'Europe/Berlin', ['2026-10-24T00:00Z', '2026-10-27T00:00Z'])).toEqual([
    '2026-10-24T00:30',
    '2026-10-25T00:30',
    '2026-10-25T01:30',
    '2026-10-26T01:30',
  ]);
});

test('every hour is every hour, whatever the clock does', () => {
  expect(due('0 * * * *', 'Europe/Berlin', ['2026-10-25T00:00Z', '2026-10-25T04:00Z'])).toHaveLength(4);
  expect(due('0 * * * *', 'America/New_York', ['2026-03-08T05:00Z', '2026-03-08T09:00Z'])).toHaveLength(4);
});

test.each([
  ['0 0 13 * 5', ['2026-02-01T00:00Z', '2026-02-28T00:00Z'], ['06', '13', '20', '27']],
  ['0 0 */10 * 5', ['2026-02-01T00:00Z', '2026-02-14T00:00Z'], ['01', '06', '11', '13']],
  ['0 0 * * 5', ['2026-02-01T00:00Z', '2026-02-14T00:00Z'], ['06', '13']],
  ['0 0 */1 * 5', ['2026-02-01T00:00Z', '2026-02-14T00:00Z'], ['06', '13']],
  ['0 0 ? feb Fri', ['2026-02-01T00:00Z', '2026-02-14T00:00Z'], ['06', '13']],
  ['@weekly', ['2026-02-01T00:00Z', '2026-02-14T00:00Z'], ['01', '08']],
] as const)(
  'days of the month and of the week are joined as Kubernetes joins them: %s',
  (schedule, span, days) => {
    expect(due(schedule, 'UTC', span).map((time) => time.slice(8, 10))).toEqual([...days]);
  },
);

test('zones of half an hour count', () => {
  expect(due('0 9 * * *', 'Asia/Kolkata', ['2026-02-01T00:00Z', '2026-02-02T00:00Z'])).toEqual([
    '2026-02-01T03:30',
  ]);
});

test('of the times that were missed the last one counts, and none before', () => {
  const clock = wallClock('*/10 * * * *', 'UTC');
  const at = (time: string): number => Date.parse(`2026-02-01T${time}Z`);
  expect(lastDue(clock, { after: at('10:00:00'), until: at('10:35:10') })).toBe(at('10:30:00'));
  expect(lastDue(clock, { after: at('10:30:00'), until: at('10:39:59') })).toBeUndefined();
  expect(lastDue(clock, { after: at('10:30:00'), until: at('10:40:00') })).toBe(at('10:40:00'));
});

const FIELDS = [
  [0, 59, []],
  [0, 23, []],
  [1, 31, []],
  [1, 12, ['jan', 'FEB', 'dec']],
  [0, 6, ['sun', 'Sat']],
] as const;
/** One field in each of the forms that a schedule takes. */
const field = ([min, max, names]: (typeof FIELDS)[number]) => {
  const value = fc.oneof(
    fc.integer({ min, max }).map(String),
    ...(names.length === 0 ? [] : [fc.constantFrom(...names)]),
  );
  const range = fc.oneof(
    fc.constantFrom('*', '?'),
    value,
    fc.tuple(value, value).map((ends) => ends.join('-')),
  );
  const step = fc.oneof(
    fc.constant(''),
    fc.integer({ min: 1, max: 9999 }).map((size) => `/${size}`),
  );
  const part = fc.tuple(range, step).map((both) => both.join(''));
  return fc.array(part, { minLength: 1, maxLength: 3 }).map((parts) => parts.join(','));
};

test('whatever is admitted as a schedule can be kept', () => {
  fc.assert(
    fc.property(fc.tuple(...FIELDS.map(field)), (texts) => {
      const schedule = texts.join(' ');
      expect(isSchedule(schedule)).toBe(true);
      fc.pre(scheduleMistake(schedule) === undefined);
      expect(() => wallClock(schedule, 'UTC').isDue(0)).not.toThrow();
    }),
    { numRuns: 2000 },
  );
});

test('of a step, whatever its size, the numbers are due that Kubernetes counts', () => {
  const minutes = fc.integer({ min: 0, max: 59 });
  fc.assert(
    fc.property(minutes, minutes, fc.integer({ min: 1, max: 200 }), (a, b, step) => {
      const [low, high] = [Math.min(a, b), Math.max(a, b)];
      const clock = wallClock(`${low}-${high}/${step} * * * *`, 'UTC');
      for (let minute = 0; minute < 60; minute++)
        expect(clock.isDue(minute * MINUTE)).toBe(
          minute >= low && minute <= high && (minute - low) % step === 0,
        );
    }),
  );
});
