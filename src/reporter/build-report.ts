import { isErrorCode } from '../errors.ts';
import type { Report } from '../resources/kube/report.ts';
import { type ContainerStatus, conditionOf, containersOf, type Pod, type Terminated } from './pod.ts';
import { withOutput } from './report-text.ts';
import { waitingIn } from './server-report.ts';

/** The steps of a build, by the names of their containers. */
const FETCH = 'fetch';
export const PUSH = 'push';

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
  const containers = containersOf(pod);
  const ended = pushEnd(pod);
  if (ended !== undefined) return pushReport(ended, ended.message ?? '');
  return firstFailure(containers) ?? firstWait(containers) ?? unscheduled(pod) ?? null;
}

/** The last line of its own that is an image by digest, or a digest: what crane and our own builder end with. */
function digestIn(output: string): string | undefined {
  return [...output.matchAll(/^(?:\S+@)?(sha256:[0-9a-f]{64})$/gm)].at(-1)?.[1];
}

/** How the last step of a pod's build ended, once that has ended well. The pod's own phase follows seconds later. */
export function pushEnd(pod: Pod): Terminated | undefined {
  const ended = containersOf(pod).find(({ name }) => name === PUSH)?.state?.terminated;
  return ended?.exitCode === 0 ? ended : undefined;
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
    if (name === FETCH) return { ...fetchFailure(message ?? '', exitCode), ...of };
    const sentence = `the step ${name} failed with exit code ${exitCode}`;
    const reason = name === PUSH ? pushReason(message ?? '') : 'BuildFailed';
    return { reason, message: withOutput(sentence, message), ...of };
  }
  return undefined;
}

/** What the user can mend, of all that `sless fetch` says in its last line. */
const SOURCE_FAULTS: ReadonlySet<string> = new Set(['InvalidArchive', 'NoSuchVersion', 'ForbiddenSource']);

function fetchFailure(output: string, exitCode: number): Report {
  const last = output.trim().split('\n').at(-1) ?? '';
  const [, code, said] = /^sless fetch: (\w+): (.+)$/.exec(last) ?? [];
  const sentence = 'the code could not be brought into the build';
  if (code === undefined || !isErrorCode(code))
    return {
      reason: 'SourceUnavailable',
      message: withOutput(`${sentence} (exit code ${exitCode})`, output),
    };
  const reason = SOURCE_FAULTS.has(code) ? code : 'SourceUnavailable';
  return { reason, message: withOutput(sentence, said) };
}

/** What a registry says to who may not push or pull, in its own words (the codes of the distribution spec) or crane's. */
const REFUSED =
  /\b(UNAUTHORIZED|DENIED|unauthorized|denied:|status code 40[13]|40[13] (Unauthorized|Forbidden))/;
/** The runtime's image, which the layer goes upon, is not in the registry. */
const ABSENT = /\b(MANIFEST_UNKNOWN|NAME_UNKNOWN|status code 404)\b/;

function pushReason(output: string): string {
  if (REFUSED.test(output)) return 'RegistryRefused';
  return ABSENT.test(output) ? 'ImagePullFailed' : 'RegistryUnavailable';
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
