import type { MiddlewareHandler } from 'hono';
import { SlessError } from '../../../errors.ts';
import type { MonotonicClock } from '../../../ports/clock.ts';
import { createRates } from '../../rate/rate.ts';
import type { ApiEnv } from '../deps.ts';

/**
 * So many requests a second of one token's subject; whoever has several tokens is still one. After `authenticated`.
 *
 * @throws SlessError `TooManyRequests`, with the time after which one more may come
 */
export function paced(perSecond: number, clock: MonotonicClock): MiddlewareHandler<ApiEnv> {
  const rates = createRates(perSecond, () => clock.now());
  return async (c, next) => {
    const wait = rates.take(c.get('identity').subject);
    if (wait > 0)
      throw new SlessError(
        'TooManyRequests',
        `at most ${perSecond} requests a second of one token; try again`,
        {
          retryAfterSeconds: Math.ceil(wait / 1000),
        },
      );
    await next();
  };
}
