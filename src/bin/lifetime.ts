import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../ports/logger.ts';

/** Kubernetes kills a pod 30 s after it told it to end; what follows the servers gets the rest. */
const SERVERS_MS = 28_000;

/** Something with requests under way: a server, or what answers them. */
interface Draining {
  begin?(): void;
  close(milliseconds: number): Promise<void>;
}

/** How long requests under way may take to end, once those who send them had that long to learn of it. */
export const drainMs = (drainDelayMs: number): number => SERVERS_MS - drainDelayMs;

/**
 * Ends servers so that no caller is cut. A pod that ends is taken out of Services and load balancers by others, who are
 * told at the same moment as the pod and take seconds: until then it serves on. The caller has made readiness fail.
 */
export async function drainAll(draining: readonly Draining[], drainDelayMs: number): Promise<void> {
  for (const each of draining) each.begin?.();
  await sleep(drainDelayMs);
  await Promise.all(draining.map((each) => each.close(drainMs(drainDelayMs))));
}

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
