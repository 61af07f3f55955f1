import type { Platform } from './platform.ts';

/** Draining, the grace of functions and some more: what takes longer hangs. What was started ends by itself then. */
const STOP_MS = 20_000;
/** A terminal's Ctrl-C goes to npm too, which passes it on: what comes so soon after the first signal is the same one. */
const SAME_MS = 500;

/** The first signal ends all in order; another one at once (what was started ends by itself then). */
export function stopOnSignal(starting: Promise<Platform>): void {
  let askedAt: number | undefined;
  const stop = async (): Promise<void> => {
    if (askedAt !== undefined) {
      if (performance.now() - askedAt > SAME_MS) process.exit(130);
      return;
    }
    askedAt = performance.now();
    setTimeout(() => giveUp(`nothing more happened within ${STOP_MS / 1000} s`), STOP_MS);
    try {
      await (await starting).stop();
      process.exit(0);
    } catch (error) {
      giveUp(String(error));
    }
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => void stop());
}

function giveUp(why: string): void {
  process.stderr.write(`sless did not end in order: ${why}\n`);
  process.exit(1);
}
