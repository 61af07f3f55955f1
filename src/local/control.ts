import { join } from 'node:path';
import { createReporter } from '../reporter/reporter.ts';
import { cleanImages } from './build/cleaning.ts';
import { runCrons } from './cron/crons.ts';
import { runDeployments } from './deployment/deployments.ts';
import { createHookCaller, readControllers } from './hooks.ts';
import { runJobs } from './job/jobs.ts';
import type { Machine } from './machine.ts';
import { createSyncLoop } from './sync-loop/sync-loop.ts';

/** All that makes wishes come true: hooks and their loop, the runner of pods and Jobs, the reporter. */
export interface Control {
  /** Whether all that is wanted runs, or has shown that it cannot. */
  settled(): boolean;
}

/** What functions get to end in when all ends. */
const GRACE_MS = 5000;

interface ControlOptions {
  /** The folder of the installed sless: `metacontroller/`. */
  readonly home: string;
  readonly externalUrl: string;
}

/**
 * Starts it all; `opened` ends it, and every process that was started. Pods and Jobs come before the hooks, which so
 * never see the status of an earlier run.
 */
export function startControl(
  machine: Machine,
  { home, externalUrl }: ControlOptions,
  opened: AsyncDisposableStack,
): Control {
  const controllers = readControllers(join(home, 'metacontroller'));
  const reporter = opened.adopt(createReporter({ ...machine, record: machine.calls.record }), (open) =>
    open.close(),
  );
  const deployments = runDeployments(machine);
  const jobs = runJobs(machine);
  const crons = runCrons(machine);
  opened.defer(async () => {
    await crons.stop();
    await Promise.all([jobs.stop(), deployments.stop(GRACE_MS)]);
  });
  const callHook = createHookCaller(machine, externalUrl);
  const loop = createSyncLoop({ ...machine, callHook }, { controllers });
  opened.defer(() => loop.close());
  loop.start();
  opened.adopt(cleanImages(machine), (cleaning) => cleaning.close());
  return { settled: () => reporter.ready() && deployments.settled() };
}
