/** One of the five fields: the numbers that it may hold, the names that stand for them, and the same as a regular expression. */
interface Field {
  readonly title: string;
  readonly min: number;
  readonly max: number;
  readonly value: string;
  readonly names: readonly string[];
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

const named = (numbers: string, names: readonly string[]): string => `(${numbers}|(?i:${names.join('|')}))`;

/** The ranges of robfig/cron, which Kubernetes reads schedules with. Sunday is 0 and never 7. */
const FIELDS: readonly Field[] = [
  { title: 'minute', min: 0, max: 59, value: '[0-5]?[0-9]', names: [] },
  { title: 'hour', min: 0, max: 23, value: '([01]?[0-9]|2[0-3])', names: [] },
  { title: 'day of month', min: 1, max: 31, value: '(0?[1-9]|[12][0-9]|3[01])', names: [] },
  { title: 'month', min: 1, max: 12, value: named('0?[1-9]|1[0-2]', MONTHS), names: MONTHS },
  { title: 'day of week', min: 0, max: 6, value: named('0?[0-6]', DAYS), names: DAYS },
];

const MACROS: Readonly<Record<string, string>> = {
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
  '@monthly': '0 0 1 * *',
  '@weekly': '0 0 * * 0',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@hourly': '0 * * * *',
};

const STEP = '(/0*[1-9][0-9]{0,3})?';
const list = ({ value }: Field): string => {
  const part = `([*?]|${value}(-${value})?)${STEP}`;
  return `${part}(,${part})*`;
};

/** What a schedule looks like, for CEL (RE2) and for here. Whether a range runs backwards is beyond a regular expression. */
export const SCHEDULE_PATTERN = `^(@(yearly|annually|monthly|weekly|daily|midnight|hourly)|${FIELDS.map(list).join(' +')})$`;

const PATTERN = new RegExp(SCHEDULE_PATTERN);

/** Whether a text has the form of a schedule. */
export function isSchedule(text: string): boolean {
  return PATTERN.test(text);
}

/** The five fields of a schedule, a short name such as `@daily` written out. */
function fieldsOf(schedule: string): string[] {
  return (MACROS[schedule] ?? schedule).split(/ +/);
}

function numberOf(text: string, { names, min }: Field): number {
  const index = names.indexOf(text.toLowerCase());
  return index === -1 ? Number(text) : index + min;
}

/** What is wrong with a schedule that has the form of one: a range that runs backwards. Kubernetes would refuse its CronJob. */
export function scheduleMistake(schedule: string): string | undefined {
  for (const [index, text] of fieldsOf(schedule).entries()) {
    const field = FIELDS[index];
    if (field === undefined) continue;
    for (const part of text.split(',')) {
      const [low = '', high] = (part.split('/')[0] ?? '').split('-');
      if (high !== undefined && numberOf(low, field) > numberOf(high, field))
        return `the ${field.title} ${part} runs backwards`;
    }
  }
  return undefined;
}

/** Days of each month, of February in its longest year. */
const MONTH_DAYS = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/**
 * Whether no day fits, as in `0 0 31 2 *`. Kubernetes takes such a schedule, and its CronJob sleeps for ever. Where days of the week are
 * named too, either will do, and one always comes.
 */
export function isNeverDue(schedule: string): boolean {
  const [, , days = '*', months = '*', weekdays = '*'] = plainSchedule(schedule).split(' ');
  if (!weekdays.split(',').includes('*')) return false;
  const firstDay = Math.min(...days.split(',').map(firstOf));
  const lengths = MONTH_DAYS.filter((_, index) => months.split(',').some((part) => fits(index + 1, part)));
  return firstDay > Math.max(...lengths);
}

/** The lowest number of a plain part. */
const firstOf = (part: string): number => (part.startsWith('*') ? 1 : Number.parseInt(part, 10));

function fits(number: number, part: string): boolean {
  const [range = '', step = '1'] = part.split('/');
  const [low, high = low] = range === '*' ? [1, 12] : range.split('-').map(Number);
  return (
    low !== undefined &&
    high !== undefined &&
    number >= low &&
    number <= high &&
    (number - low) % Number(step) === 0
  );
}

/**
 * The schedule in the words that every reader of cron takes alike: five fields of numbers, `?` as `*`, and `5/10`, which for Kubernetes
 * means `5-59/10`, written out.
 */
export function plainSchedule(schedule: string): string {
  return fieldsOf(schedule)
    .map((text, index) => {
      const field = FIELDS[index];
      return field === undefined
        ? text
        : text
            .split(',')
            .map((part) => plainPart(part, field))
            .join(',');
    })
    .join(' ');
}

function plainPart(part: string, field: Field): string {
  const [range = '', written] = part.split('/');
  const isStar = range === '*' || range === '?';
  const [low = '', high] = range.split('-');
  const from = isStar ? field.min : numberOf(low, field);
  const last = isStar || written !== undefined ? field.max : from;
  const to = high === undefined ? last : numberOf(high, field);
  const step = Number(written ?? 1);
  // A step beyond the range leaves its first number alone, and not every reader of cron takes one.
  if (from <= to && from + step > to) return `${from}`;
  // A step of 1 is none; to Kubernetes `*/2` is no star any more where days of the month and of the week are joined, and `*/1` is one.
  const suffix = step === 1 ? '' : `/${step}`;
  return isStar ? `*${suffix}` : `${from}-${to}${suffix}`;
}
