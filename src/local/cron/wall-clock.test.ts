import { expect, test } from 'vitest';
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
