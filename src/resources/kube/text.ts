import { z } from 'zod';
import { withRule } from './rule.ts';

/**
 * A text of `min` to `max` characters, counted as the API server counts `minLength` and `maxLength`: by code points. zod's own
 * bounds count UTF-16 units, for which an emoji is two.
 */
export function boundedText(min: number, max: number) {
  const fits = (text: string): boolean => {
    if (text.length < min) return false;
    const length = text.length <= max && min <= 1 ? text.length : codePoints(text);
    return length >= min && length <= max;
  };
  const message = min === 0 ? `must have at most ${max} characters` : `must have ${min} to ${max} characters`;
  return z
    .string()
    .refine(fits, { message })
    .meta({ ...(min === 0 ? {} : { minLength: min }), maxLength: max });
}

/** How many code points a text has, without making an array of them. */
export function codePoints(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

/** An object in the place of its text is the likeliest mistake of all, so an example says what would be right. */
const NO_JSON_TEXT = `must be JSON text, such as '{"a":1}'`;

/**
 * A field that holds JSON as text of at most so many KiB. Its `maxLength` is for the API server, which wants one to judge the rule's cost; here
 * the rule alone speaks, since text that is too long in characters is so in bytes. Whether it is JSON neither can see: ask `jsonTextMistake`.
 */
export function jsonText(maxKiB: number) {
  const max = maxKiB * 1024;
  const text = z
    .string({ error: ({ code }) => (code === 'invalid_type' ? NO_JSON_TEXT : undefined) })
    .meta({ maxLength: max });
  return withRule(text, {
    rule: `bytes(self).size() <= ${max}`,
    message: `must be at most ${maxKiB} KiB`,
    holds: (value) => Buffer.byteLength(value) <= max,
  });
}

/** What is wrong with the text of such a field, if anything is. */
export function jsonTextMistake(text: string): string | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch {
    return NO_JSON_TEXT;
  }
}
