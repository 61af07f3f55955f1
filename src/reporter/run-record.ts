import { v5 } from 'uuid';
import { isErrorCode } from '../errors.ts';
import type { Invocation } from '../ports/invocation-log.ts';
import { LABELS } from '../resources/kube/labels.ts';
import { labelOf } from '../resources/kube/object.ts';
import { parseTime } from '../resources/kube/time.ts';
import { asPod, type Pod, type Terminated } from './pod.ts';
import { cronReport, jobReport, ownEnd } from './run-report.ts';

/** Names our ids among those of others: a UUID of nobody else's making. */
const NAME_SPACE = '6f5d0a4e-52b7-4e0e-9a53-3f6b7d1c9e21';

/** What curl and local mode say of an answer of 400 and more. */
const STATUS = /(?:returned error: |the answer was )([45]\d\d)\b/;

/**
 * What the pods of a run came to, oldest first, an attempt each. Whoever looks at a pod, and however often, makes the same record of it:
 * its id follows from the pod's uid.
 */
export function runRecords(component: 'job' | 'cron', pods: readonly Pod[]): Invocation[] {
  return [...pods]
    .sort(byAge)
    .map((pod, index) => recordOf(component, asPod(pod), index + 1))
    .filter((record) => record !== undefined);
}

function byAge({ metadata: a }: Pod, { metadata: b }: Pod): number {
  const [timeA = '', timeB = ''] = [a.creationTimestamp, b.creationTimestamp];
  return timeA < timeB ? -1 : timeA > timeB ? 1 : a.name < b.name ? -1 : 1;
}

function recordOf(component: 'job' | 'cron', pod: Pod, attempt: number): Invocation | undefined {
  const { uid, namespace = '', name } = pod.metadata;
  const ended = ownEnd(pod, component);
  const [startedAt, finishedAt] = [parseTime(ended?.startedAt), parseTime(ended?.finishedAt)];
  const of = labelOf(pod, LABELS.function);
  if (ended === undefined || uid === undefined || of === undefined || startedAt === undefined)
    return undefined;
  const triggerName = labelOf(pod, component === 'job' ? LABELS.functionJob : LABELS.trigger);
  return {
    id: v5(uid, NAME_SPACE),
    namespace,
    function: of,
    trigger: component,
    ...(triggerName === undefined ? {} : { triggerName }),
    startedAt,
    durationMs: Math.max(0, (finishedAt ?? startedAt) - startedAt),
    ...outcomeOf(component, pod, ended),
    bytesIn: 0,
    bytesOut: 0,
    attempt,
    // As the call of a cron Trigger says it of itself.
    ...(component === 'cron' ? { requestId: name } : {}),
  };
}

function outcomeOf(
  component: 'job' | 'cron',
  pod: Pod,
  { exitCode, message = '' }: Terminated,
): Pick<Invocation, 'outcome' | 'status' | 'reason'> {
  if (exitCode === 0) return { outcome: 'ok' };
  const [, status] = (component === 'cron' && STATUS.exec(message)) || [];
  if (status !== undefined) return { outcome: 'error', status: Number(status) };
  const reason = (component === 'job' ? jobReport(pod) : cronReport(pod))?.reason;
  return { outcome: 'failed', reason: isErrorCode(reason) ? reason : 'FunctionError' };
}
