import * as parse from './parse.ts';
import { setting } from './setting.ts';

/** The part of the table that bounds what callers can use up. Every process counts for itself. */
export const LIMIT_SETTINGS = {
  connectionsTotal: setting({
    name: 'CONNECTIONS_TOTAL',
    roles: ['api', 'proxy'],
    default: '10000',
    meaning:
      'Connections at once. Half of them are for any one address that is not in TRUSTED_PROXIES. Beyond that new ones are closed unread; when all are taken, idle ones end.',
    parse: parse.count,
  }),
  ratePerToken: setting({
    name: 'RATE_PER_TOKEN',
    roles: ['api'],
    default: '100',
    meaning:
      "Requests a second to the api of one token's subject, in bursts of a second at most. More are answered with 429 and Retry-After.",
    parse: parse.count,
  }),
  ratePerFunction: setting({
    name: 'RATE_PER_FUNCTION',
    roles: ['proxy'],
    defaultNote: 'no rate: what a function can take at once bounds it',
    meaning:
      'Calls a second of one function under /fn, in bursts of a second at most. More are answered with 429 and Retry-After.',
    parse: parse.count,
  }),
} as const;
