import { z } from '@hono/zod-openapi';
import type { WrittenLine } from '../../logs/line.ts';

/** One line as REST tells it. */
export const logLine = z
  .object({
    time: z
      .string()
      .nullable()
      .describe('When it was written (RFC 3339, UTC, to the nanosecond); null where nobody knows.'),
    pod: z.string().nullable().describe('Who wrote it; null for what was kept of a pod that is gone.'),
    container: z.string().nullable().describe('The container: function, or the step of a build.'),
    line: z.string().describe('Without its line feed. One beyond 64 KiB comes in pieces of one time.'),
  })
  .openapi('LogLine', {
    example: {
      time: '2026-03-01T12:00:00.123456789Z',
      pod: 'hello-7c9d8b5f4-x2x4q',
      container: 'function',
      line: 'ready',
    },
  });

export type LogLineAnswer = z.infer<typeof logLine>;

export function toLogLine({ time, text, by }: WrittenLine): LogLineAnswer {
  return { time, pod: by.pod, container: by.container, line: text };
}

export const JSON_LINES = 'application/x-ndjson';
export const TEXT = 'text/plain; charset=utf-8';

interface TextOptions {
  readonly accept: string | undefined;
  readonly timestamps: boolean;
}

/** As plain text for people, as JSON lines for those who ask for them. */
export function logText(
  lines: readonly LogLineAnswer[],
  { accept = '', timestamps }: TextOptions,
): [string, string] {
  if (accept.includes(JSON_LINES))
    return [lines.map((line) => `${JSON.stringify(line)}\n`).join(''), JSON_LINES];
  const text = (line: LogLineAnswer): string =>
    timestamps && line.time !== null ? `${line.time} ${line.line}\n` : `${line.line}\n`;
  return [lines.map(text).join(''), TEXT];
}
