import { LABELS } from '../../resources/kube/labels.ts';
import type { KubeObject } from '../../resources/kube/object.ts';
import { formatTime } from '../../resources/kube/time.ts';
import type { Container } from './pod-spec.ts';
import { type ContainerState, podConditions, type Terminated } from './pod-status.ts';
import type { PodView } from './publisher.ts';

/** All that changes about a pod of a Deployment. Times are milliseconds since 1970. */
export interface PodFacts {
  readonly object: KubeObject;
  readonly container: Container;
  readonly createdAt: number;
  readonly state: ContainerState;
  readonly last: Terminated | undefined;
  readonly restarts: number;
  readonly ready: boolean;
  readonly readySince: number;
  /** While a process runs. */
  readonly port: number | undefined;
  readonly ending: boolean;
}

/** What the cluster is told of it. */
export function podView(facts: PodFacts): PodView {
  const { state, port, ending } = facts;
  const running = 'running' in state;
  const ready = facts.ready && running;
  const startTime = formatTime(facts.createdAt);
  const service = facts.object.metadata.labels?.[LABELS.function] ?? '';
  return {
    status: {
      phase: running || facts.restarts > 0 ? 'Running' : 'Pending',
      ...(port === undefined ? {} : { podIP: '127.0.0.1' }),
      startTime,
      conditions: podConditions(ready, formatTime(facts.readySince), startTime),
      containerStatuses: [
        {
          name: facts.container.name,
          image: facts.container.image,
          imageID: facts.container.image,
          ready,
          started: running,
          restartCount: facts.restarts,
          state,
          lastState: facts.last === undefined ? {} : { terminated: facts.last },
        },
      ],
    },
    ...(port === undefined ? {} : { endpoint: { service, port, ready, terminating: ending } }),
  };
}
