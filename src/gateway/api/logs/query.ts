import { z } from '@hono/zod-openapi';

const DEFAULT_TAIL = 100;
const MAX_TAIL = 5000;
/** `10m`, `1h30m`. */
const LENGTH = /^(?=\d)(?:(\d{1,4})d)?(?:(\d{1,5})h)?(?:(\d{1,6})m)?(?:(\d{1,8})s)?$/;

const flag = (description: string) =>
  z
    .enum(['true', 'false'], 'must be true or false')
    .default('false')
    .transform((text) => text === 'true')
    .openapi({ type: 'boolean', default: false, description });

/** Which lines. A word that is not known is refused: one that is ignored misleads. */
export const logsQuery = z.strictObject({
  tail: z.coerce.number().int().min(0).max(MAX_TAIL).default(DEFAULT_TAIL).openapi({
    type: 'integer',
    format: 'int32',
    minimum: 0,
    maximum: MAX_TAIL,
    default: DEFAULT_TAIL,
    description: 'The last so many lines of those that are there already.',
  }),
  since: z
    .union([z.iso.datetime({ offset: true }), z.string().regex(LENGTH)], {
      error: 'must be a time such as 2026-03-01T12:00:00Z, or how long ago, such as 10m or 1h30m',
    })
    .optional()
    .openapi({
      type: 'string',
      description:
        'Only lines written at or after this time (RFC 3339), or no longer ago than this (10m, 1h30m).',
    }),
  follow: flag('Goes on with what is written from now on, as server-sent events.'),
  timestamps: flag('In plain text: the time before each line.'),
});

export const functionLogsQuery = logsQuery.extend({
  previous: flag('Of the run of each container before its last restart: why it ended.'),
  pod: z.string().max(253).optional().openapi({ description: 'Only of the pod of this name.' }),
});

/** The `after` of a reading that begins there. */
export function afterOf(since: string | undefined, now: number): string | undefined {
  if (since === undefined) return undefined;
  const [length, days = 0, hours = 0, minutes = 0, seconds = 0] = LENGTH.exec(since) ?? [];
  const ago = ((Number(days) * 24 + Number(hours)) * 60 + Number(minutes)) * 60 + Number(seconds);
  const moment = length === undefined ? Date.parse(since) : now - ago * 1000;
  // Lines of that very moment are meant too.
  return `${new Date(Math.max(1, moment) - 1).toISOString().slice(0, 23)}999999Z`;
}
