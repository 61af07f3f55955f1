import type { Report } from '../resources/kube/report.ts';
import { type ContainerStatus, containersOf, type Pod } from './pod.ts';
import { withOutput } from './report-text.ts';

/** The reasons of a kubelet for which a container waits in vain. */
const WAITING: Readonly<Record<string, string>> = {
  ErrImagePull: 'ImagePullFailed',
  ImagePullBackOff: 'ImagePullFailed',
  ErrImageNeverPull: 'ImagePullFailed',
  InvalidImageName: 'ImagePullFailed',
  ImageInspectError: 'ImagePullFailed',
  RegistryUnavailable: 'ImagePullFailed',
  CreateContainerConfigError: 'ContainerConfigInvalid',
  CreateContainerError: 'ContainerConfigInvalid',
  RunContainerError: 'ContainerConfigInvalid',
};

/** Why a pod of a function's Deployment does not serve; nothing for one that does, or is on its way. */
export function serverReport(pod: Pod): Report | undefined {
  if (pod.metadata.deletionTimestamp !== undefined) return undefined;
  for (const container of containersOf(pod)) {
    const trouble = container.ready === true ? undefined : (waitingIn(container) ?? endOf(container));
    if (trouble !== undefined)
      return { ...trouble, container: container.name, ...imageOf(pod, container.name) };
  }
  return undefined;
}

/** As it stands in the template: the kubelet's own word for it may be another name of the same image. */
function imageOf(pod: Pod, name: string): Report {
  const image = pod.spec.containers?.find((container) => container.name === name)?.image;
  return image === undefined ? {} : { image };
}

/** Why a container waits, when it waits in vain. */
export function waitingIn({ state }: ContainerStatus): Report | undefined {
  const { reason: word, message } = state?.waiting ?? {};
  const reason = word === undefined ? undefined : WAITING[word];
  return reason === undefined
    ? undefined
    : { reason, message: withOutput(`the container waits (${word})`, message) };
}

/** A container that is not ready after it has ended once: it ends again and again. */
function endOf({ state, lastState }: ContainerStatus): Report | undefined {
  const ended = state?.terminated ?? lastState?.terminated;
  if (ended === undefined) return undefined;
  const { exitCode, message } = ended;
  if (ended.reason === 'OOMKilled') {
    return { reason: 'OutOfMemory', message: 'the function took more memory than its limit', exitCode };
  }
  return {
    reason: 'CrashLoop',
    message: withOutput(`the function ended with exit code ${exitCode} and is started again`, message),
    exitCode,
  };
}
