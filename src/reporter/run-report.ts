import { isErrorCode } from '../errors.ts';
import { SERVER_CONTAINER } from '../resources/function/server.ts';
import type { Report } from '../resources/kube/report.ts';
import { CRON_CONTAINER } from '../resources/trigger/cron-job.ts';
import { conditionOf, containersOf, type Pod, type Terminated } from './pod.ts';
import { withOutput, withoutSecrets } from './report-text.ts';
import { waitingIn } from './server-report.ts';

/** `reportSchema`'s bound on a result, which is what a kubelet keeps of a termination message. */
const MAX_RESULT = 4096;

/** Its bound on a message. */
const MAX_MESSAGE = 2048;

/** The container that does the work of a run. */
const OWN = { job: SERVER_CONTAINER, cron: CRON_CONTAINER } as const;

/** How the container that does a run's work ended, once it has. */
export function ownEnd(pod: Pod, component: keyof typeof OWN): Terminated | undefined {
  return containersOf(pod).find(({ name }) => name === OWN[component])?.state?.terminated;
}

/**
 * How a pod that runs once came to its end, or why it does not begin; `undefined` while there is nothing to say. Only its own container speaks for the run; of
 * a container that others have put beside it, it counts that it keeps the pod from beginning.
 */
function onceReport(
  pod: Pod,
  component: keyof typeof OWN,
  said: (ended: Terminated) => Report,
): Report | undefined {
  const ended = ownEnd(pod, component);
  if (ended !== undefined) return { ...said(ended), ...endOf(ended) };
  for (const container of containersOf(pod)) {
    const waiting = waitingIn(container);
    if (waiting !== undefined) return waiting;
  }
  return unscheduled(pod) ?? taken(pod);
}

function endOf({ exitCode, finishedAt }: Terminated): Report {
  return finishedAt === undefined ? { exitCode } : { exitCode, finishedAt };
}

/** What a function's run came to: the runtime leaves its result, or its error as JSON, in the termination message. */
export function jobReport(pod: Pod): Report | undefined {
  return onceReport(pod, 'job', (ended) => {
    const { exitCode, message = '' } = ended;
    if (exitCode === 0) return message === '' ? {} : { result: message.slice(0, MAX_RESULT) };
    return outOfMemory(ended) ?? errorIn(message) ?? ended137(ended) ?? crash(exitCode, message);
  });
}

function outOfMemory({ reason }: Terminated): Report | undefined {
  if (reason !== 'OOMKilled') return undefined;
  return { reason: 'OutOfMemory', message: 'the function took more memory than its limit' };
}

/** SIGKILL without a word: nobody but the node says why. */
function ended137({ exitCode, message = '' }: Terminated): Report | undefined {
  if (exitCode !== 137) return undefined;
  return { reason: 'FunctionError', message: withOutput('the run was killed', message) };
}

function crash(exitCode: number, output: string): Report {
  const sentence = `the function ended with exit code ${exitCode}`;
  return { reason: 'FunctionError', message: withOutput(sentence, output) };
}

/** `{"error", "code"}` as the runtimes write it, or what a function answered that called itself a failure. */
function errorIn(message: string): Report | undefined {
  const parsed = parseJson(message);
  if (parsed === undefined) return undefined;
  const { error, code } = (parsed ?? {}) as { readonly error?: unknown; readonly code?: unknown };
  if (typeof error === 'string' && isErrorCode(code)) {
    return { reason: code, message: withoutSecrets(error).slice(0, MAX_MESSAGE) };
  }
  return { reason: 'FunctionError', message: withOutput('the function answered that it failed', message) };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** What curl's exit codes mean: https://curl.se/docs/manpage.html#EXIT */
const CURL: Readonly<Record<number, { readonly reason: string; readonly sentence: string }>> = {
  6: { reason: 'UpstreamUnreachable', sentence: 'the function could not be found' },
  7: { reason: 'UpstreamUnreachable', sentence: 'the function could not be reached' },
  22: { reason: 'FunctionError', sentence: 'the function answered with an error' },
  28: { reason: 'FunctionTimeout', sentence: 'the function did not answer in time' },
  52: { reason: 'UpstreamInvalid', sentence: 'the function ended without an answer' },
  56: { reason: 'UpstreamInvalid', sentence: 'the answer of the function broke off' },
};

/** What a cron Trigger's call came to, by what curl says of it. */
export function cronReport(pod: Pod): Report | undefined {
  return onceReport(pod, 'cron', ({ exitCode, message }) => {
    if (exitCode === 0) return {};
    const { reason, sentence } = CURL[exitCode] ?? {
      reason: 'FunctionError',
      sentence: `the call failed with curl's exit code ${exitCode}`,
    };
    return { reason, message: withOutput(sentence, message) };
  });
}

function unscheduled(pod: Pod): Report | undefined {
  const condition = pod.status?.conditions?.find(
    ({ type, status, reason }) => type === 'PodScheduled' && status === 'False' && reason === 'Unschedulable',
  );
  if (condition === undefined) return undefined;
  return { message: withOutput('no node has room for the run', condition.message) };
}

/** A pod that is taken from its node may have done half of its work. */
function taken(pod: Pod): Report | undefined {
  if (conditionOf(pod, 'DisruptionTarget') === undefined) return undefined;
  return {
    reason: 'FunctionError',
    message: withOutput('the pod was taken from its node', pod.status?.message),
  };
}
