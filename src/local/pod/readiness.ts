import type { Container } from './pod-spec.ts';
import { probe } from './probe.ts';

/** A server in Node or Python is up in 30 to 100 ms: while it starts it is asked often, and less often the longer it takes. */
const FIRST_PERIOD_MS = 20;
const MAX_STARTING_PERIOD_MS = 500;

/**
 * Probes a container until `signal` ends it, and tells of each change. Between starting and the first success there is no
 * failure: a container is not ready from the start.
 */
export async function watchReadiness(
  { readinessProbe }: Container,
  port: number,
  { signal, onChange }: { readonly signal: AbortSignal; readonly onChange: (ready: boolean) => void },
): Promise<void> {
  const path = readinessProbe?.httpGet?.path ?? '/';
  const timeoutMs = (readinessProbe?.timeoutSeconds ?? 1) * 1000;
  const periodMs = (readinessProbe?.periodSeconds ?? 10) * 1000;
  const threshold = readinessProbe?.failureThreshold ?? 3;
  let ready = false;
  let failures = 0;
  let startingMs = FIRST_PERIOD_MS;
  while (!signal.aborted) {
    const succeeded = await probe(port, path, timeoutMs);
    if (signal.aborted) return;
    failures = succeeded ? 0 : failures + 1;
    const next: boolean = succeeded || (ready && failures < threshold);
    if (next !== ready) onChange(next);
    ready = next;
    await pause(ready ? periodMs : startingMs, signal);
    startingMs = Math.min(MAX_STARTING_PERIOD_MS, startingMs * 1.2);
  }
}

/** Waits, but no longer than until `signal` is aborted. */
export function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const done = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, milliseconds);
    signal.addEventListener('abort', done);
  });
}
