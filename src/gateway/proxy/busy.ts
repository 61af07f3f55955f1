import type { Bound } from './limits.ts';
import type { Refusal } from './refusal.ts';

/** A place is free again at any moment. */
const RETRY_BUSY_S = 1;

const REACHED: Readonly<Record<Bound | 'arrivals', string>> = {
  function: 'the function has as many calls in flight as it may',
  tenant: 'the namespace has as many calls in flight as it may',
  uploads: 'the function has as many request bodies on their way as it may',
  uploader: 'this caller has as many request bodies on their way to the function as it may',
  arrivals: 'too many request bodies are on their way',
};

/** The refusal of a call for which there is no place. */
export function busy(reached: Bound | 'arrivals'): Refusal {
  return { code: 'TooManyRequests', message: REACHED[reached], retryAfter: RETRY_BUSY_S };
}

/** The refusal of a call that comes too soon, by so many milliseconds. */
export function tooOften(milliseconds: number): Refusal {
  const retryAfter = Math.ceil(milliseconds / 1000);
  return { code: 'TooManyRequests', message: 'the function is called more often than it may', retryAfter };
}
