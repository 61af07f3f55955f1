import { z } from 'zod';

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
