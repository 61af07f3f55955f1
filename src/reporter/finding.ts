import { isSlessError } from '../errors.ts';
import type { PodLogs } from '../ports/pod-logs.ts';
import type { KubeObject } from '../resources/kube/object.ts';
import type { Report } from '../resources/kube/report.ts';
import { buildReport, pushEnd, pushReport } from './build-report.ts';
import { asPod, type Pod } from './pod.ts';
import { cronReport, jobReport } from './run-report.ts';
import { serverReport } from './server-report.ts';

/** What there is to say of an owner's pods. `null`: nothing; `undefined`: they cannot tell, what was said before stands. */
export type Finding = Report | null | undefined;

/** What `sless.dev/component` says of pods that are looked at. */
export const COMPONENTS = ['server', 'build', 'job', 'cron'] as const;
export type Component = (typeof COMPONENTS)[number];

export type Logs = Pick<PodLogs, 'tail'>;

/**
 * Of the newest pod that has something to say.
 *
 * @throws SlessError `Unavailable`, `Forbidden`: a log that is needed cannot be read now
 */
export async function findingOf(
  component: Component,
  pods: readonly KubeObject[],
  logs: Logs | undefined,
): Promise<Finding> {
  const judge = JUDGES[component];
  // A server that is well again has nothing said of it; what a Job's pods came to stands, though they be gone.
  let last: Finding = component === 'server' ? null : undefined;
  for (const pod of [...pods].sort(oldestFirst)) {
    const finding = await judge(asPod(pod), logs);
    // An older pod's failure stands while its successor has nothing to say.
    if (finding || !last) last = finding;
  }
  return last;
}

type Judge = (pod: Pod, logs: Logs | undefined) => Finding | Promise<Finding>;

const JUDGES: Readonly<Record<Component, Judge>> = {
  server: (pod) => serverReport(pod) ?? null,
  build: judgeBuild,
  job: jobReport,
  cron: cronReport,
};

async function judgeBuild(pod: Pod, logs: Logs | undefined): Promise<Finding> {
  const report = buildReport(pod);
  const ended = pushEnd(pod);
  if (report !== undefined || ended === undefined || logs === undefined) return report;
  return pushReport(ended, await outputOf(pod, ended.container, logs));
}

/** The digest is crane's last line; what it tells before goes to the same log. */
const TAIL = { lines: 20, bytes: 8192 };

/** For a step that did not say its digest where Kubernetes shows it in the pod; then it stands nowhere but in the log. */
async function outputOf({ metadata }: Pod, container: string, logs: Logs): Promise<string> {
  const { name: pod, namespace = '' } = metadata;
  try {
    return await logs.tail({ namespace, pod, container }, TAIL);
  } catch (error) {
    if (isSlessError(error, 'NotFound')) return '';
    throw error;
  }
}

function oldestFirst({ metadata: a }: KubeObject, { metadata: b }: KubeObject): number {
  const [timeA = '', timeB = ''] = [a.creationTimestamp, b.creationTimestamp];
  return timeA === timeB ? (a.name < b.name ? 1 : -1) : timeA > timeB ? 1 : -1;
}
