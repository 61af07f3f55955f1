import { expect, test } from 'vitest';
import { isNeverDue, isSchedule, plainSchedule, scheduleMistake } from './schedule.ts';
import { isTimeZone } from './time-zone.ts';

test.each([
  ['*/5 * * * *', '*/5 * * * *'],
  ['5/10 2/3 * * *', '5-59/10 2-23/3 * * *'],
  ['? 0 ? JAN-mar SUN', '* 0 * 1-3 0'],
  ['07 08 1,15 * mon-fri/2', '7 8 1,15 * 1-5/2'],
  ['0  0   * * *', '0 0 * * *'],
  ['@weekly', '0 0 * * 0'],
  // As robfig/cron has it: a step beyond the range is no mistake, and leaves the first number alone.
  ['0/100 */0060 5-20/9999 */12 */7', '0 0 5 1 0'],
  ['59/1 23/2 31/5 dec/1 sat/1', '59 23 31 12 6'],
])('%s is read as %s', (schedule, plain) => {
  expect(isSchedule(schedule)).toBe(true);
  expect(plainSchedule(schedule)).toBe(plain);
});

test.each([
  '',
  '* * * *',
  '* * * * * *',
  '60 * * * *',
  '* 24 * * *',
  '* * 0 * *',
  '* * 32 * *',
  '* * * 13 *',
  '* * * * 7',
  '*/0 * * * *',
  '1- * * * *',
  '@every 5m',
  '@reboot',
  '@Daily',
  'TZ=UTC * * * * *',
  '* * * * mon#1',
  '* * L * *',
  ' * * * * *',
  '* * * * *\n',
])('%j is no schedule', (schedule) => {
  expect(isSchedule(schedule)).toBe(false);
});

test('a range that runs backwards is a mistake, by number and by name', () => {
  expect(scheduleMistake('0 0 * * fri-mon')).toBe('the day of week fri-mon runs backwards');
  expect(scheduleMistake('0 0 1,9-2/3 * *')).toBe('the day of month 9-2/3 runs backwards');
  for (const good of ['0 0 1-1 * *', '@daily', '0-59/7 * * dec *'])
    expect(scheduleMistake(good)).toBeUndefined();
});

test.each([
  ['0 0 31 2 *', true],
  ['0 0 30 feb ?', true],
  ['0 0 31 2,4,6,9,11 *', true],
  ['0 0 31 4-6/2 *', true],
  ['0 0 30-31/1 2 *,1', true],
  ['0 0 29 2 *', false],
  ['0 0 31 4-6 *', false],
  ['0 0 1,31 2 *', false],
  ['0 0 31 2 mon', false],
  ['0 0 31 2 */2', false],
  ['0 0 */31 2 *', false],
  ['0 0 31 */2 *', false],
  ['0 0 31 2/2 *', false],
  ['@yearly', false],
])('whether %s never falls due: %s', (schedule, never) => {
  expect(isNeverDue(schedule)).toBe(never);
});

test('zones are those of the IANA database, in its own spelling', () => {
  for (const zone of [
    'UTC',
    'Etc/UTC',
    'Europe/Berlin',
    'Asia/Kolkata',
    'US/Eastern',
    'EST',
    'Etc/GMT+5',
    'America/Argentina/Buenos_Aires',
  ])
    expect(isTimeZone(zone), zone).toBe(true);
  for (const zone of [
    '',
    'Mars/X',
    'europe/berlin',
    'Local',
    'local',
    '+01:00',
    'PST',
    'SystemV/PST8',
    '../etc/passwd',
    'Europe/',
  ])
    expect(isTimeZone(zone), zone).toBe(false);
});
