import { formatTime } from '../../resources/kube/time.ts';
import { podObject } from '../pod/pod-object.ts';
import type { Container } from '../pod/pod-spec.ts';
import { type ContainerState, type PodPhase, podConditions, type Terminated } from '../pod/pod-status.ts';
import { createPodPublisher } from '../pod/publisher.ts';
import type { JobDeps, PodEnd, PodWork } from './pod-run.ts';

/** The pod of a Job that has one container. */
export interface SinglePod {
  readonly name: string;
  readonly namespace: string;
  readonly container: Container;
  /** Shows what the container is doing. */
  show(state: ContainerState): Promise<void>;
  /** Shows how it ended, and says so. */
  end(terminated: Terminated): Promise<PodEnd>;
}

/** Makes the Pod in the cluster, and keeps it true. */
export function createSinglePod(deps: JobDeps, { job, signal }: PodWork): SinglePod {
  const object = podObject(job, job.spec.template);
  const [container] = job.spec.template.spec.containers;
  if (container === undefined) throw new Error(`the Job ${job.metadata.name} has no container`);
  const { name, namespace = '' } = object.metadata;
  const publisher = createPodPublisher(deps, object);
  const startTime = formatTime(deps.clock.now());
  const publish = async (phase: PodPhase, state: ContainerState): Promise<void> => {
    const { name: called, image } = container;
    const facts = { ready: false, started: 'running' in state, restartCount: 0, lastState: {} };
    publisher.publish({
      status: {
        phase,
        ...(signal.aborted ? { reason: String(signal.reason) } : {}),
        startTime,
        conditions: podConditions(false, startTime, startTime),
        containerStatuses: [{ name: called, image, imageID: image, state, ...facts }],
      },
    });
    await publisher.settled();
  };
  return {
    name,
    namespace,
    container,
    show: (state) => publish('running' in state ? 'Running' : 'Pending', state),
    end: async (terminated) => {
      const hasSucceeded = terminated.exitCode === 0 && !signal.aborted;
      await publish(hasSucceeded ? 'Succeeded' : 'Failed', { terminated });
      if (signal.aborted) return { end: 'aborted' };
      if (hasSucceeded) return { end: 'succeeded' };
      return { end: 'failed', failure: { container: container.name, pod: name, terminated } };
    },
  };
}
