import { join } from 'node:path';
import { formatTime } from '../../resources/kube/time.ts';
import { createBuild } from '../build/builder.ts';
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
import { buildRequest } from './job-spec.ts';
import type { JobDeps, PodEnd, PodRunner, PodWork } from './pod-run.ts';

const MAX_LOG_BYTES = 2 * 1024 * 1024;

/** Builds. pip and npm each keep a core busy. The same image comes out however often one is begun. */
export const buildPods: PodRunner = { atOnce: 2, run: runBuildPod };

/**
 * Carries out the pod of a build Job: its steps one after another, each shown as the container of that name. Ended by
 * `signal`, whose reason (a text) becomes the pod's, it leaves nothing behind.
 */
async function runBuildPod(deps: JobDeps, { job, signal }: PodWork): Promise<PodEnd> {
  const request = buildRequest(job);
  if (request === undefined) throw new Error(`the Job ${job.metadata.name} does not say what it builds`);
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
      // This process ends, or the Job is gone: what was cut off is no failure that anybody should be told of.
      if (signal.aborted && signal.reason !== 'DeadlineExceeded') return { end: 'aborted' };
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
  deps: JobDeps,
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
