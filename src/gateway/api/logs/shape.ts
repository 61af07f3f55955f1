import { z } from '@hono/zod-openapi';
import type { TypedResponse } from 'hono';
import { SlessError } from '../../../errors.ts';
import type { ApiDeps, ApiOptions } from '../deps.ts';
import type { Slots } from '../request/slots.ts';
import { JSON_LINES, logLine } from './answer.ts';
import type { LogDeps } from './read.ts';

/** The three forms of an answer. */
export const LOG_RESPONSE = {
  description:
    'The lines, oldest first: as plain text; as JSON lines for `Accept: application/x-ndjson`; with `follow` as server-sent events whose data is a LogLine as JSON. An event `end` says that nothing more will come. The id of an event goes into `Last-Event-ID` to go on behind it, also after the pods were replaced; comments are heart-beats.',
  content: {
    'text/plain': { schema: z.string(), example: 'handler.handle is ready\nhello, Ada\n' },
    [JSON_LINES]: { schema: logLine },
    'text/event-stream': {
      schema: z.string(),
      example:
        'data: {"time":"2026-03-01T12:00:00.123456789Z","pod":"hello-7c9d8b5f4-x2x4q","container":"function","line":"ready"}\n\nevent: end\ndata: {"outcome":"succeeded"}\n\n',
    },
  },
};

export const lastEventId = z.object({
  'last-event-id': z
    .string()
    .max(8192)
    .optional()
    .openapi({ description: 'With follow: the id of the last event that was received.' }),
});

export interface LogSlots {
  /** Each holds up to 8 MiB for a moment. */
  readonly reading: Slots;
  /** Each holds a watch, a connection a container, and half a MiB at most, for as long as it likes. */
  readonly following: Slots;
}

/** One of the forms of `LOG_RESPONSE`, for the types of the route. */
export type LogAnswer = Response & TypedResponse<string, 200, 'text'>;

/** @throws SlessError `NotImplemented` */
export function requireLogs(deps: ApiDeps, { heartBeatMs }: ApiOptions): LogDeps {
  const { logs } = deps;
  if (logs === undefined) throw new SlessError('NotImplemented', 'logs cannot be read here');
  return { ...deps, logs, heartBeatMs };
}
