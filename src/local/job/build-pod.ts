import { join } from 'node:path';
import type { Cluster } from '../../ports/cluster.ts';
import type { Logger } from '../../ports/logger.ts';
import { formatTime } from '../../resources/kube/time.ts';
import { type BuildDeps, type BuildRequest, createBuild } from '../build/builder.ts';
import { podObject } from '../pod/pod-object.ts';
import type { Container } from '../pod/pod-spec.ts';
import {
  type ContainerState,
  type ContainerStatus,
  type PodPhase,
  podConditions,
} from '../pod/pod-status.ts';
import { createPodPublisher } from '../pod/publisher.ts';
import { LogFile } from '../process/log-file.ts';
import type { Job } from './job-spec.ts';
import type { Failure } from './job-status.ts';

export interface BuildPodDeps extends BuildDeps {
  readonly cluster: Cluster;
  readonly logger: Logger;
  readonly logsFolder: string;
}

/** How a build pod ended: well, with a container that failed, or because it was told to. */
export type BuildEnd =
  | { readonly end: 'succeeded' }
  | { readonly end: 'aborted' }
  | { readonly end: 'failed'; readonly failure: Failure };

const MAX_LOG_BYTES = 2 * 1024 * 1024;

/**
 * Carries out the pod of a build Job: its steps one after another, each shown as the container of that name. Ended by
 * `signal`, whose reason (a text) becomes the pod's, it leaves nothing behind.
 */
export async function runBuildPod(
  deps: BuildPodDeps,
  { job, request, signal }: { job: Job; request: BuildRequest; signal: AbortSignal },
): Promise<BuildEnd> {
  const pod = podObject(job, job.spec.template);
  const publisher = createPodPublisher(deps, pod);
  const startTime = formatTime(deps.clock.now());
  const states = new Map<string, ContainerState>();
  const build = createBuild(deps, request);
  const publish = (phase: PodPhase): Promise<void> => {
    publisher.publish({
      status: {
        phase,
        ...(signal.aborted ? { reason: String(signal.reason) } : {}),
        startTime,
        conditions: podConditions(false, startTime, startTime),
        initContainerStatuses: (job.spec.template.spec.initContainers ?? []).map(statusOf(states)),
        containerStatuses: job.spec.template.spec.containers.map(statusOf(states)),
      },
    });
    return publisher.settled();
  };
  try {
    for (const step of build.steps) {
      states.set(step.name, { running: { startedAt: formatTime(deps.clock.now()) } });
      await publish(step === build.steps.at(-1) ? 'Running' : 'Pending');
      const log = logOf(deps, pod.metadata, step.name);
      const terminated = await step.run(signal, log).finally(() => log.destroy());
      states.set(step.name, { terminated });
      if (signal.aborted || terminated.exitCode !== 0) {
        await publish('Failed');
        if (signal.aborted) return { end: 'aborted' };
        return { end: 'failed', failure: { container: step.name, pod: pod.metadata.name, terminated } };
      }
    }
    await publish('Succeeded');
    return { end: 'succeeded' };
  } finally {
    await build.discard();
  }
}

function logOf(
  deps: BuildPodDeps,
  { name, namespace = '' }: { name: string; namespace?: string },
  step: string,
): LogFile {
  return new LogFile({
    path: join(deps.logsFolder, namespace, name, `${step}.log`),
    maxBytes: MAX_LOG_BYTES,
  });
}

const statusOf =
  (states: ReadonlyMap<string, ContainerState>) =>
  ({ name, image }: Container): ContainerStatus => {
    const state = states.get(name) ?? { waiting: { reason: 'PodInitializing' } };
    return {
      name,
      image,
      imageID: '',
      ready: 'terminated' in state && state.terminated.exitCode === 0,
      started: 'running' in state,
      restartCount: 0,
      state,
      lastState: {},
    };
  };
