import { BUILD_CONTAINERS } from '../resources/function/build-steps.ts';
import type { Report } from '../resources/kube/report.ts';
import { type ContainerStatus, conditionOf, containersOf, type Pod, type Terminated } from './pod.ts';
import { withOutput } from './report-text.ts';
import { waitingIn } from './server-report.ts';
import { stepFailure } from './step-failure.ts';

/** SIGKILL: in a build it means memory, since nothing else here kills so; the deadline is told apart before. */
const KILLED = 137;

/**
 * What a build's pod came to: the digest that it pushed, or the step that failed. `null` while nothing is wrong;
 * `undefined` when the pod cannot say, and what was said before stands.
 */
export function buildReport(pod: Pod): Report | null | undefined {
  if (pod.status?.reason === 'DeadlineExceeded')
    return { reason: 'BuildTimedOut', message: 'the build took longer than buildTimeoutSeconds' };
  // A pod that somebody deletes fails by that, and not by what it did.
  if (pod.metadata.deletionTimestamp !== undefined) return undefined;
  if (conditionOf(pod, 'DisruptionTarget') !== undefined) return disrupted(pod);
  if (pod.status?.reason === 'Evicted') return outgrown(pod);
  const containers = ownFirst(pod);
  const ended = pushEnd(pod);
  if (ended !== undefined) return pushReport(ended, ended.message ?? '');
  return firstFailure(containers) ?? firstWait(containers) ?? unscheduled(pod) ?? null;
}

/** The last line of its own that is an image by digest, or a digest: what crane and our own builder end with. */
function digestIn(output: string): string | undefined {
  return [...output.matchAll(/^(?:\S+@)?(sha256:[0-9a-f]{64})$/gm)].at(-1)?.[1];
}

/** The last step of a build: `push`, or `build` where that does all. Whatever else runs beside it was put there by others. */
const LAST_STEPS: ReadonlySet<string> = new Set([BUILD_CONTAINERS.push, BUILD_CONTAINERS.build]);

/** How the step that pushes ended, once it has ended well. The pod's own phase follows seconds later. */
export function pushEnd({ status }: Pod): Ended | undefined {
  for (const { name, state } of status?.containerStatuses ?? [])
    if (LAST_STEPS.has(name) && state?.terminated?.exitCode === 0)
      return { ...state.terminated, container: name };
  return undefined;
}

/** A container's end, and which one it was. */
export interface Ended extends Terminated {
  readonly container: string;
}

/** What the last step's output says; `undefined` when no digest is in it. */
export function pushReport({ finishedAt }: Terminated, output: string): Report | undefined {
  const digest = digestIn(output);
  if (digest === undefined) return undefined;
  return finishedAt === undefined ? { digest } : { digest, finishedAt };
}

/** The Job begins another pod, so this is only of use when that ends badly too. */
function disrupted(pod: Pod): Report {
  return { message: withOutput("the build's pod was taken from its node", pod.status?.message) };
}

/** A pod that passes a limit of its own is put off its node for that, and with no condition: nothing disturbed it. */
function outgrown({ status }: Pod): Report {
  return {
    reason: 'ImageTooLarge',
    message: withOutput('the build took more disk than it may', status?.message),
  };
}

const STEPS: ReadonlySet<string> = new Set(Object.values(BUILD_CONTAINERS));

/** The steps in their order, and then what others have put beside them, which is heard only while the steps are well. */
function ownFirst(pod: Pod): ContainerStatus[] {
  const containers = containersOf(pod);
  const isOurs = ({ name }: ContainerStatus): boolean => STEPS.has(name);
  return [...containers.filter(isOurs), ...containers.filter((container) => !isOurs(container))];
}

function firstFailure(containers: readonly ContainerStatus[]): Report | undefined {
  for (const { name, state } of containers) {
    const ended = state?.terminated;
    if (ended === undefined || ended.exitCode === 0) continue;
    const { exitCode, message } = ended;
    const of = { container: name, exitCode };
    if (ended.reason === 'OOMKilled' || exitCode === KILLED) {
      const sentence = `the step ${name} took more memory than a build may`;
      return { reason: 'BuildOutOfMemory', message: withOutput(sentence, message), ...of };
    }
    return { ...stepFailure(name, exitCode, message ?? ''), ...of };
  }
  return undefined;
}

/** Images of a build that cannot be pulled keep it waiting until its deadline. */
function firstWait(containers: readonly ContainerStatus[]): Report | undefined {
  for (const container of containers) {
    const waiting = waitingIn(container);
    if (waiting !== undefined) return { ...waiting, container: container.name };
  }
  return undefined;
}

function unscheduled(pod: Pod): Report | undefined {
  const condition = pod.status?.conditions?.find(
    ({ type, status, reason }) => type === 'PodScheduled' && status === 'False' && reason === 'Unschedulable',
  );
  if (condition === undefined) return undefined;
  return { message: withOutput('no node has room for the build', condition.message) };
}
