import type { z } from 'zod';

type Issue = z.core.$ZodIssue;

const NOUNS: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
  null: 'null',
};

/** How zod begins where a schema brings no message of its own. */
const BY_ZOD = /^(Invalid (input|option)|Too (big|small)|Unrecognized key)/;

/** What a schema found, in words that say what would be right. Messages of our own rules stand as they are. */
export function issueText(issue: Issue): string {
  if (!BY_ZOD.test(issue.message)) return issue.message;
  switch (issue.code) {
    case 'invalid_type':
      return typeText(issue.expected, issue.message);
    case 'too_big':
      return boundText('at most', issue.maximum, issue.origin);
    case 'too_small':
      return issue.minimum === 1 && issue.origin === 'string'
        ? 'must not be empty'
        : boundText('at least', issue.minimum, issue.origin);
    case 'invalid_value':
      return `must be ${issue.values.length === 1 ? '' : 'one of '}${issue.values.map(String).join(', ')}`;
    case 'unrecognized_keys':
      return `there is no such field: ${issue.keys.join(', ')}`;
    default:
      return issue.message;
  }
}

/** zod tells what it received in its message alone: `Invalid input: expected int, received string`. */
function typeText(expected: string, message: string): string {
  const [, received = ''] = /received (\S+)$/.exec(message) ?? [];
  if (received === 'undefined') return 'is required';
  const right = `must be ${NOUNS[expected] ?? expected}`;
  const wrong = NOUNS[received];
  // A number that is none in JSON (NaN, Infinity), or one where a whole one is wanted: what is right says it all.
  if (wrong === undefined || (received === 'number' && expected === 'int')) return right;
  return `${right}, not ${received === 'boolean' ? 'a boolean' : wrong}`;
}

function boundText(bound: string, limit: number | bigint, origin: string): string {
  if (origin === 'string') return `must have ${bound} ${limit} characters`;
  if (origin === 'array' || origin === 'set') return `must have ${bound} ${limit} items`;
  return `must be ${bound} ${limit}`;
}

/**
 * Without those that another one of the same field implies: beyond 1000 is also beyond what an integer can be, and a rule
 * over a quantity says nothing of what is none.
 */
export function essential(issues: readonly Issue[]): readonly Issue[] {
  return issues.filter((issue) => {
    const others = issues.filter((other) => other !== issue && isSameField(other, issue));
    if (issue.code === 'too_big')
      return !others.some((other) => other.code === 'too_big' && other.maximum < issue.maximum);
    if (issue.code === 'too_small')
      return !others.some((other) => other.code === 'too_small' && other.minimum > issue.minimum);
    if (issue.code === 'custom') return !others.some((other) => other.code === 'invalid_format');
    return true;
  });
}

const isSameField = (one: Issue, other: Issue): boolean =>
  JSON.stringify(one.path.map(String)) === JSON.stringify(other.path.map(String));
