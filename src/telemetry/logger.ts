import { type DestinationStream, pino } from 'pino';
import type { Logger } from '../ports/logger.ts';

interface LoggerOptions {
  readonly level: string;
  /** Where lines go; standard output by default. */
  readonly destination?: DestinationStream;
}

/** JSON lines with RFC 3339 times; errors are written with their causes, `authorization` headers never. */
export function createLogger({ level, destination }: LoggerOptions): Logger {
  const options = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    redact: ['authorization', '*.authorization', 'headers.cookie'],
  };
  return destination === undefined ? pino(options) : pino(options, destination);
}
