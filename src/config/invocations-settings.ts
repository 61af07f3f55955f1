import * as parse from './parse.ts';
import { setting } from './setting.ts';

/** The part of the table that is about the log of calls. */
export const INVOCATIONS_SETTINGS = {
  databaseUrl: setting({
    name: 'DATABASE_URL',
    roles: ['api', 'proxy', 'dispatcher'],
    secret: true,
    defaultNote: 'no log of calls is kept',
    meaning:
      'URL of the PostgreSQL database (postgres://, 13 or later) that keeps what became of each call, with its login.',
    parse: databaseUrl,
  }),
  invocationsRetentionDays: setting({
    name: 'INVOCATIONS_RETENTION_DAYS',
    roles: ['api', 'local'],
    default: '14',
    meaning: 'For how many days what became of a call is kept.',
    parse: parse.count,
  }),
} as const;

/** A database by its URL. */
function databaseUrl(value: string): string {
  const url = URL.canParse(value) ? new URL(value) : undefined;
  if (url === undefined || !/^postgres(ql)?:$/.test(url.protocol) || url.pathname.length < 2)
    throw new Error('must be like postgres://user:password@host:5432/database');
  return value;
}
