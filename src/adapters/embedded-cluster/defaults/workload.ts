import type { Json } from '../merge-patch.ts';
import { each, membersOf, podSpecDefaults, podTemplateDefaults, within } from './pod.ts';

/** What the API server fills into a Deployment's spec. */
export function deploymentDefaults(spec: Json): Json {
  return {
    progressDeadlineSeconds: 600,
    replicas: 1,
    revisionHistoryLimit: 10,
    ...spec,
    strategy: strategy(membersOf(spec.strategy)),
    ...within(spec, 'template', podTemplateDefaults),
  };
}

function strategy(given: Json): Json {
  if (given.type === 'Recreate') return given;
  const rolling = { maxSurge: '25%', maxUnavailable: '25%', ...membersOf(given.rollingUpdate) };
  return { type: 'RollingUpdate', ...given, rollingUpdate: rolling };
}

/** What the API server fills into a Job's spec, the labels of its own selector among it. */
export function jobDefaults(spec: Json, job: { readonly name: string; readonly uid: string }): Json {
  const uid = { 'batch.kubernetes.io/controller-uid': job.uid };
  const labels = {
    ...uid,
    'batch.kubernetes.io/job-name': job.name,
    'controller-uid': job.uid,
    'job-name': job.name,
  };
  const labelled = (template: Json): Json => {
    const metadata = membersOf(template.metadata);
    return podTemplateDefaults({
      ...template,
      metadata: { ...metadata, labels: { ...membersOf(metadata.labels), ...labels } },
    });
  };
  return {
    backoffLimit: 6,
    completionMode: 'NonIndexed',
    completions: 1,
    manualSelector: false,
    parallelism: 1,
    podReplacementPolicy: spec.podFailurePolicy === undefined ? 'TerminatingOrFailed' : 'Failed',
    selector: { matchLabels: uid },
    suspend: false,
    ...spec,
    ...within(spec, 'template', labelled),
    ...within(spec, 'podFailurePolicy', podFailurePolicy),
  };
}

function podFailurePolicy(policy: Json): Json {
  const condition = (given: Json): Json => ({ status: 'True', ...given });
  return {
    ...policy,
    ...each(policy, 'rules', (rule) => ({ ...rule, ...each(rule, 'onPodConditions', condition) })),
  };
}

/** What the API server fills into a CronJob's spec; the Job's own defaults wait until there is a Job. */
export function cronJobDefaults(spec: Json): Json {
  const jobSpec = (job: Json): Json => ({ ...job, ...within(job, 'template', podTemplateDefaults) });
  return {
    concurrencyPolicy: 'Allow',
    failedJobsHistoryLimit: 1,
    successfulJobsHistoryLimit: 3,
    suspend: false,
    ...spec,
    ...within(spec, 'jobTemplate', (template) => ({
      metadata: {},
      ...template,
      ...within(template, 'spec', jobSpec),
    })),
  };
}

/** What the API server and its admission fill into the spec of a Pod. */
export function podDefaults(spec: Json): Json {
  const notReady = (key: string) => ({
    effect: 'NoExecute',
    key,
    operator: 'Exists',
    tolerationSeconds: 300,
  });
  return {
    enableServiceLinks: true,
    preemptionPolicy: 'PreemptLowerPriority',
    priority: 0,
    tolerations: [notReady('node.kubernetes.io/not-ready'), notReady('node.kubernetes.io/unreachable')],
    ...podSpecDefaults(spec),
  };
}
