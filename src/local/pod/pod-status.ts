import { formatTime } from '../../resources/kube/time.ts';
import type { Exit } from '../process/guarded.ts';

/** What a container is doing, in the form of a ContainerStatus's `state`. */
export type ContainerState =
  | { readonly waiting: { readonly reason: string; readonly message?: string } }
  | { readonly running: { readonly startedAt: string } }
  | { readonly terminated: Terminated };

export interface Terminated {
  readonly exitCode: number;
  readonly signal?: number;
  readonly reason: string;
  readonly message?: string;
  readonly startedAt: string;
  readonly finishedAt: string;
}

export interface ContainerStatus {
  readonly name: string;
  readonly image: string;
  readonly imageID: string;
  readonly ready: boolean;
  readonly started: boolean;
  readonly restartCount: number;
  readonly state: ContainerState;
  readonly lastState: { readonly terminated?: Terminated };
}

export type PodPhase = 'Pending' | 'Running' | 'Succeeded' | 'Failed';

/** The status of a Pod as a kubelet writes it, as far as anyone here reads it. */
export interface PodStatus {
  readonly phase: PodPhase;
  readonly reason?: string;
  readonly message?: string;
  readonly podIP?: string;
  readonly startTime: string;
  readonly conditions: readonly {
    readonly type: string;
    readonly status: 'True' | 'False';
    readonly lastTransitionTime: string;
  }[];
  readonly initContainerStatuses?: readonly ContainerStatus[];
  readonly containerStatuses: readonly ContainerStatus[];
}

interface Ended {
  readonly exit: Exit;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly finishedAt: number;
  /** The last lines of output, what `FallbackToLogsOnError` takes. */
  readonly output: string;
}

const SIGNAL_NUMBERS: Readonly<Partial<Record<NodeJS.Signals, number>>> = {
  SIGHUP: 1,
  SIGINT: 2,
  SIGQUIT: 3,
  SIGILL: 4,
  SIGABRT: 6,
  SIGBUS: 7,
  SIGFPE: 8,
  SIGKILL: 9,
  SIGSEGV: 11,
  SIGPIPE: 13,
  SIGALRM: 14,
  SIGTERM: 15,
};

/** How a container ended. A signal shows as 128 and its number, as everywhere. */
export function terminated({ exit, startedAt, finishedAt, output }: Ended): Terminated {
  const signal = exit.signal === null ? undefined : (SIGNAL_NUMBERS[exit.signal] ?? 0);
  const exitCode = exit.code ?? 128 + (signal ?? 0);
  return {
    exitCode,
    ...(signal === undefined ? {} : { signal }),
    reason: exitCode === 0 ? 'Completed' : 'Error',
    ...(exitCode === 0 || output === '' ? {} : { message: output }),
    startedAt: formatTime(startedAt),
    finishedAt: formatTime(finishedAt),
  };
}

/** The conditions of a pod whose containers are ready, or not, since a certain time (RFC 3339). */
export function podConditions(ready: boolean, since: string, startTime: string): PodStatus['conditions'] {
  const state = ready ? 'True' : 'False';
  return [
    { type: 'PodScheduled', status: 'True', lastTransitionTime: startTime },
    { type: 'Initialized', status: 'True', lastTransitionTime: startTime },
    { type: 'ContainersReady', status: state, lastTransitionTime: since },
    { type: 'Ready', status: state, lastTransitionTime: since },
  ];
}
