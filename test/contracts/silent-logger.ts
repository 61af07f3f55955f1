import type { Logger } from '../../src/ports/logger.ts';

const silent = () => undefined;

/** A logger for tests that do not look at what is logged. */
export const silentLogger: Logger = {
  debug: silent,
  info: silent,
  warn: silent,
  error: silent,
  child: () => silentLogger,
};
