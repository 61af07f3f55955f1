import { type Row, rowsOf } from './row.ts';

const http = rowsOf('Trigger', { type: 'http', functionRef: 'hello' });
const cron = rowsOf('Trigger', { type: 'cron', functionRef: 'hello', schedule: '30 2 * * *' });
const event = rowsOf('Trigger', { type: 'event', functionRef: 'hello', queue: 'orders' });

/** Files beside the zones of a server, and names that only other databases than that of IANA know. */
const NO_ZONES = [
  ...['Factory', 'posixrules', 'localtime', 'right/UTC', 'posix/Europe/Berlin', 'US/Pacific-New'],
  ...['Canada/East-Saskatchewan', 'SystemV/PST8', 'Etc/Unknown'],
];

const names: readonly Row[] = [
  ...['a', '1a', 'a--b', 'x'.repeat(40), 'x'.repeat(52)].map((name) => http.good(`name ${name}`, {}, name)),
  ...['x'.repeat(53), 'x'.repeat(63), 'x'.repeat(64), 'a-', '-a', 'A', 'a.b'].map(http.badName),
];

const references: readonly Row[] = [
  ...['a', 'x'.repeat(40)].map((functionRef) => http.good(`function ${functionRef}`, { functionRef })),
  ...['other/hello', '', 'x'.repeat(41), '1a', 'a-', 'Hello', 'hello.other', null].map((functionRef) =>
    http.bad(`function ${functionRef}`, { functionRef }, 'functionRef'),
  ),
];

const types: readonly Row[] = [
  http.good('disabled', { enabled: false }),
  http.good('enabled null is the default', { enabled: null }),
  http.bad('enabled as text', { enabled: 'yes' }, 'enabled'),
  http.bad('another type', { type: 'kafka' }, 'type'),
  http.bad('http with a schedule', { schedule: '* * * * *' }, 'schedule'),
  http.bad('http with a time zone', { timeZone: 'UTC' }, 'timeZone'),
  http.bad('http with a queue', { queue: 'q' }, 'queue'),
  http.bad('http with attempts', { maxAttempts: 3 }, 'maxAttempts'),
  cron.good('cron with all its fields', {
    timeZone: 'Europe/Berlin',
    payload: '{"a":"\\u0000"}',
    concurrencyPolicy: 'Replace',
  }),
  cron.bad('cron without a schedule', { schedule: undefined }, 'schedule'),
  cron.bad('cron with an empty schedule', { schedule: '' }, 'schedule'),
  cron.bad('cron with a queue', { queue: 'q' }, 'queue'),
  cron.bad('cron with a policy of its own', { concurrencyPolicy: 'Queue' }, 'concurrencyPolicy'),
  cron.good('a payload of 64 KiB', { payload: 'x'.repeat(65_536) }),
  cron.bad('a payload of 64 KiB and a byte', { payload: 'x'.repeat(65_537) }, 'payload'),
  cron.bad('a payload of 64 KiB and three in emoji', { payload: '😀'.repeat(16_385) }, '64 KiB'),
  ...[
    '* * * * *',
    '*/5 0-23/2 1,15 jan-DEC Mon',
    '? ? ? ? ?',
    '5/10 * * * 0',
    '@daily',
    '@hourly',
    '0  0 * * 6',
    '0/100 * * * */9999',
  ].map((schedule) => cron.good(`schedule ${schedule}`, { schedule })),
  ...[
    '* * * *',
    '* * * * * *',
    '60 * * * *',
    '* * * * 7',
    '*/0 * * * *',
    '@every 1h',
    '@reboot',
    '@Daily',
    'TZ=UTC * * * * *',
    '* * L * *',
    'daily',
  ].map((schedule) => cron.bad(`schedule ${schedule}`, { schedule }, 'five fields')),
  cron.good('a schedule that runs backwards: the hook says so', { schedule: '0 5-1 * * *' }),
  ...[
    'UTC',
    'Etc/UTC',
    'Europe/Berlin',
    'Asia/Kolkata',
    'America/Argentina/Buenos_Aires',
    'Etc/GMT+5',
    'EST',
  ].map((timeZone) => cron.good(`zone ${timeZone}`, { timeZone })),
  ...[
    ...NO_ZONES,
    'Mars/X',
    'europe/berlin',
    'nz',
    'Local',
    '+01:00',
    'PST',
    '',
    '../etc',
    'Europe/',
    'a b',
  ].map((timeZone) => cron.bad(`zone ${JSON.stringify(timeZone)}`, { timeZone }, 'timeZone')),
  event.good('event with all its fields', {
    prefetch: 1000,
    maxAttempts: 100,
    deadLetterQueue: 'dead',
    brokerSecret: 'fn-broker',
  }),
  event.bad('a queue that is its own dead-letter queue', { deadLetterQueue: 'orders' }, 'another queue'),
  event.bad('event without a queue', { queue: undefined }, 'queue'),
  event.bad('event with a payload', { payload: '{}' }, 'payload'),
  event.bad('no message at once', { prefetch: 0 }, 'prefetch'),
  event.bad('101 attempts', { maxAttempts: 101 }, 'maxAttempts'),
  event.bad('a broker in any Secret', { brokerSecret: 'admin' }, 'brokerSecret'),
  event.bad('a queue of 256 characters', { queue: 'q'.repeat(256) }, 'queue'),
  event.good('a queue of 255 emoji', { queue: '😀'.repeat(255) }),
];

const updates: readonly Row[] = [
  http.update('disabled later', { enabled: false }),
  http.update('the same again', {}),
  http.update('another function', { functionRef: 'other' }, 'cannot be changed'),
  http.update('another type', { type: 'cron', schedule: '* * * * *' }, 'cannot be changed'),
  cron.update('another schedule', { schedule: '0 0 * * *' }),
  event.update('another queue', { queue: 'others' }),
];

export const TRIGGER_ROWS: readonly Row[] = [...names, ...references, ...types, ...updates];
