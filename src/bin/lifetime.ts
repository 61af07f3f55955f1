import type { Logger } from '../ports/logger.ts';

/**
 * Ends a role in order on SIGTERM or SIGINT; a second signal ends it at once. `stop` ends what the role has opened, the
 * event loop does the rest.
 */
export function stopOnSignal(logger: Logger, role: string, stop: () => Promise<void>): void {
  let asked = false;
  const onSignal = (signal: NodeJS.Signals): void => {
    if (asked) process.exit(130);
    asked = true;
    logger.info({ signal }, `${role} is ending`);
    stop().then(
      () => logger.info({}, `${role} ended`),
      (error: unknown) => {
        logger.error({ err: error }, `${role} did not end in order`);
        process.exit(1);
      },
    );
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, onSignal);
}
