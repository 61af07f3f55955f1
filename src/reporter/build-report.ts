import type { Report } from '../resources/kube/report.ts';
import { type ContainerStatus, containersOf, type Pod } from './pod.ts';
import { withOutput } from './report-text.ts';

/** The steps of a build, by the names of their containers. */
const FETCH = 'fetch';
const PUSH = 'push';

/** What a registry says to who may not push, in its own words or those of the tool that pushes. */
const REFUSED = /\b(401|403|unauthorized|unauthenticated|denied|forbidden)\b/i;

/** SIGKILL: in a build it means memory, since nothing else here kills so; the deadline is told apart before. */
const KILLED = 137;

/** What a build's pod came to: the digest that it pushed, or the step that failed; nothing while it runs. */
export function buildReport(pod: Pod): Report | undefined {
  if (pod.status?.reason === 'DeadlineExceeded') {
    return { reason: 'BuildTimedOut', message: 'the build took longer than buildTimeoutSeconds' };
  }
  // A pod that somebody deletes fails by that, and not by what it did.
  if (pod.metadata.deletionTimestamp !== undefined) return undefined;
  const containers = containersOf(pod);
  return pod.status?.phase === 'Succeeded' ? pushed(containers) : firstFailure(containers);
}

function pushed(containers: readonly ContainerStatus[]): Report | undefined {
  const message = containers.find(({ name }) => name === PUSH)?.state?.terminated?.message ?? '';
  const digest = /sha256:[0-9a-f]{64}\b/.exec(message)?.[0];
  return digest === undefined ? undefined : { digest };
}

function firstFailure(containers: readonly ContainerStatus[]): Report | undefined {
  for (const { name, state } of containers) {
    const ended = state?.terminated;
    if (ended === undefined || ended.exitCode === 0) continue;
    const { exitCode, message } = ended;
    const outOfMemory = ended.reason === 'OOMKilled' || exitCode === KILLED;
    return {
      reason: outOfMemory ? 'BuildOutOfMemory' : reasonOf(name, message ?? ''),
      message: withOutput(
        outOfMemory
          ? `the step ${name} took more memory than a build may`
          : `the step ${name} failed with exit code ${exitCode}`,
        message,
      ),
      container: name,
      exitCode,
    };
  }
  return undefined;
}

function reasonOf(step: string, message: string): string {
  if (step === FETCH) return 'SourceUnavailable';
  if (step === PUSH) return REFUSED.test(message) ? 'RegistryRefused' : 'RegistryUnavailable';
  return 'BuildFailed';
}
