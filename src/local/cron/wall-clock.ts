import { Cron } from 'croner';
import { plainSchedule } from '../../resources/trigger/schedule.ts';

const MINUTE_MS = 60_000;

/** A schedule in its zone, minute by minute. */
export interface WallClock {
  /** Whether it falls due in the minute that begins then (milliseconds since 1970, whole minutes). */
  isDue(minute: number): boolean;
}

/**
 * Kubernetes' rule: a schedule falls due in every real minute in which the clock on the wall of its zone shows a time that fits. So 02:30
 * is left out on the day on which the clock is put forward over it, and comes twice on the day on which it is put back.
 */
export function wallClock(schedule: string, timeZone: string): WallClock {
  // A wall time is shown to the library as if it were one of UTC, which knows neither gaps nor repetitions.
  const cron = new Cron(plainSchedule(schedule), { mode: '5-part', paused: true, timezone: 'UTC' });
  const format = new Intl.DateTimeFormat('en-u-hc-h23', {
    timeZone,
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
  });
  return { isDue: (minute) => cron.match(onTheWall(format, minute)) };
}

function onTheWall(format: Intl.DateTimeFormat, minute: number): Date {
  const parts = new Map(format.formatToParts(minute).map(({ type, value }) => [type, Number(value)]));
  const of = (type: Intl.DateTimeFormatPartTypes): number => parts.get(type) ?? 0;
  return new Date(Date.UTC(of('year'), of('month') - 1, of('day'), of('hour'), of('minute')));
}

/** The last minute in which the schedule fell due, after one instant and up to another. */
export function lastDue(
  clock: WallClock,
  { after, until }: { readonly after: number; readonly until: number },
): number | undefined {
  const first = Math.floor(after / MINUTE_MS) * MINUTE_MS + MINUTE_MS;
  for (let minute = Math.floor(until / MINUTE_MS) * MINUTE_MS; minute >= first; minute -= MINUTE_MS)
    if (clock.isDue(minute)) return minute;
  return undefined;
}
