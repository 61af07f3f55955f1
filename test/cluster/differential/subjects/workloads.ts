import fc from 'fast-check';
import { KINDS } from '../../../../src/resources/kube/kinds.ts';
import type { Json, Subject } from '../step.ts';
import { one, patchOf, some, withMetadata } from './metadata.ts';
import { podSpec, somePodSpec } from './pod.ts';

const selector = { matchLabels: { app: 'a' } };
const templateLabels = one<Json>({ app: 'a' }, { app: 'a', more: 'x' });
const template = (spec: fc.Arbitrary<Json>) =>
  fc
    .tuple(templateLabels, some({ annotations: one<Json>({ note: 'x' }, {}) }), spec)
    .map(([labels, more, pod]) => ({
      metadata: { labels, ...more },
      spec: pod,
    }));

/** Paused, so that the controller makes no pods; it writes the status alone. */
const deploymentFields = {
  replicas: one(0, 1, 2, null),
  revisionHistoryLimit: one(2, 10),
  progressDeadlineSeconds: one(180),
  minReadySeconds: one(0, 5),
  strategy: one<Json>(
    { type: 'Recreate' },
    { type: 'RollingUpdate' },
    { rollingUpdate: { maxUnavailable: 0 } },
    { type: 'RollingUpdate', rollingUpdate: { maxSurge: '25%', maxUnavailable: 0 } },
  ),
};

const spec = (fields: fc.Arbitrary<Json>) => fields.map((said) => ({ spec: said }));

export const DEPLOYMENT: Subject = {
  kind: KINDS.Deployment,
  whole: withMetadata(
    spec(
      fc
        .tuple(template(podSpec), some(deploymentFields))
        .map(([pod, fields]) => ({ paused: true, selector, template: pod, ...fields })),
    ),
  ),
  partial: withMetadata(
    fc.oneof(
      spec(some(deploymentFields)),
      spec(somePodSpec.map((pod) => ({ template: { spec: pod } }))),
      one<Json>({}, { spec: { selector, template: { metadata: { labels: { more: 'y' } } } } }),
    ),
  ),
  patch: patchOf(
    fc.oneof(
      spec(some(deploymentFields)),
      spec(somePodSpec.map((pod) => ({ template: { spec: pod } }))),
      one<Json>(
        { spec: { template: { metadata: { annotations: { restartedAt: 'now' } } } } },
        { spec: { template: { metadata: { annotations: null } } } },
        { spec: { selector: { matchLabels: { other: 'x' } } } },
        { spec: { strategy: null } },
        { spec: { template: { spec: { volumes: null, containers: [{ name: 'function', image: 'b:1' }] } } } },
        { status: { replicas: 9 } },
      ),
    ),
  ),
};

/** `managedBy` somebody else, so that the Job controller leaves it alone. */
const jobFields = {
  backoffLimit: one(0, 2),
  activeDeadlineSeconds: one(300, 600),
  ttlSecondsAfterFinished: one(60),
  suspend: one(true, false),
  podReplacementPolicy: one('Failed'),
  podFailurePolicy: one<Json>({
    rules: [
      { action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget' }] },
      { action: 'FailJob', onExitCodes: { containerName: 'function', operator: 'NotIn', values: [0] } },
    ],
  }),
};
const managedBy = 'sless.dev/nobody';
const jobPod = podSpec.map((pod) => ({ ...pod, restartPolicy: 'Never' }));

export const JOB: Subject = {
  kind: KINDS.Job,
  whole: withMetadata(
    spec(
      fc
        .tuple(template(jobPod), some(jobFields))
        .map(([pod, fields]) => ({ managedBy, template: pod, ...fields })),
    ),
  ),
  partial: withMetadata(fc.oneof(spec(some(jobFields)), one<Json>({}))),
  patch: patchOf(
    fc.oneof(
      spec(some(jobFields)),
      one<Json>(
        { spec: { template: { spec: { restartPolicy: 'OnFailure' } } } },
        { spec: { completions: 2 } },
        { spec: { parallelism: 3 } },
        { spec: { podFailurePolicy: null } },
        { spec: { selector: null } },
        { spec: { backoffLimit: null, activeDeadlineSeconds: null } },
        { status: { active: 1 } },
      ),
    ),
  ),
};

const cronFields = {
  concurrencyPolicy: one('Allow', 'Forbid', 'Replace'),
  timeZone: one('Etc/UTC', 'Europe/Berlin'),
  successfulJobsHistoryLimit: one(0, 3),
  failedJobsHistoryLimit: one(1),
  startingDeadlineSeconds: one(10),
};
const jobTemplate = fc.tuple(template(jobPod), some(jobFields)).map(([pod, fields]) => ({
  spec: { template: pod, ...fields },
}));

/** Suspended, so that nothing is started. */
export const CRON_JOB: Subject = {
  kind: KINDS.CronJob,
  whole: withMetadata(
    spec(
      fc
        .tuple(one('*/5 * * * *', '0 0 1 1 *'), jobTemplate, some(cronFields))
        .map(([schedule, job, fields]) => ({ suspend: true, schedule, jobTemplate: job, ...fields })),
    ),
  ),
  partial: withMetadata(fc.oneof(spec(some(cronFields)), one<Json>({}))),
  patch: patchOf(
    fc.oneof(
      spec(some(cronFields)),
      one<Json>(
        { spec: { schedule: '1 1 * * *' } },
        { spec: { timeZone: null } },
        { status: { active: [] } },
      ),
    ),
  ),
};

/** Of a scheduler that does not exist, so that no kubelet hears of it. */
export const POD: Subject = {
  kind: KINDS.Pod,
  whole: withMetadata(
    spec(
      podSpec.map((pod) => ({
        ...pod,
        schedulerName: 'nobody',
        serviceAccountName: 'default',
        automountServiceAccountToken: false,
      })),
    ),
  ),
  partial: withMetadata(one<Json>({})),
  patch: patchOf(
    one<Json>(
      { spec: { hostname: 'x' } },
      { spec: { activeDeadlineSeconds: 60 } },
      { spec: { terminationGracePeriodSeconds: 1 } },
      { spec: { volumes: null } },
      { spec: { nodeSelector: { a: 'b' } } },
      { status: { phase: 'Running' } },
    ),
  ),
};
