import { join } from 'node:path';
import { createReporter } from '../reporter/reporter.ts';
import { runDeployments } from './deployment/deployments.ts';
import { createHookCaller, readControllers } from './hooks.ts';
import { runJobs } from './job/jobs.ts';
import type { Machine } from './machine.ts';
import { createSyncLoop } from './sync-loop/sync-loop.ts';

/** All that makes wishes come true: hooks and their loop, the runner of pods and Jobs, the reporter. */
export interface Control {
  /** Whether all that is wanted runs, or has shown that it cannot. */
  settled(): boolean;
  /** Ends every process that was started; each has so long after its SIGTERM. */
  stop(graceMs: number): Promise<void>;
}

interface ControlOptions {
  /** The folder of the installed sless: `metacontroller/`. */
  readonly home: string;
  readonly externalUrl: string;
}

/** Starts it all. Pods and Jobs come first, so that hooks never see the status of an earlier run. */
export function startControl(machine: Machine, { home, externalUrl }: ControlOptions): Control {
  const deployments = runDeployments(machine);
  const jobs = runJobs(machine);
  const reporter = createReporter(machine);
  const loop = createSyncLoop(
    { ...machine, callHook: createHookCaller(machine, externalUrl) },
    { controllers: readControllers(join(home, 'metacontroller')) },
  );
  loop.start();
  return {
    settled: () => reporter.ready() && deployments.settled(),
    stop: async (graceMs) => {
      loop.close();
      await Promise.all([jobs.stop(), deployments.stop(graceMs)]);
      reporter.close();
    },
  };
}
