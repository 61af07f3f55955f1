import type { KubeObject } from '../../../resources/kube/object.ts';
import { isJsonObject, type Json } from '../merge-patch.ts';
import { each, membersOf, podTemplateDefaults, within } from './pod.ts';

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

/** What the API server fills into a Job's spec. */
export function jobDefaults(spec: Json): Json {
  return {
    backoffLimit: 6,
    completionMode: 'NonIndexed',
    completions: 1,
    manualSelector: false,
    parallelism: 1,
    podReplacementPolicy: spec.podFailurePolicy === undefined ? 'TerminatingOrFailed' : 'Failed',
    suspend: false,
    ...spec,
    ...within(spec, 'template', podTemplateDefaults),
    ...within(spec, 'podFailurePolicy', podFailurePolicy),
  };
}

/** A Job without labels has those of its template. */
export function withTemplateLabels(job: KubeObject): KubeObject {
  const { labels } = membersOf(membersOf(membersOf(job.spec).template).metadata);
  if (job.metadata.labels !== undefined || !isJsonObject(labels)) return job;
  return { ...job, metadata: { ...job.metadata, labels: labels as Record<string, string> } };
}

/** A new Job with a selector of its own, and the labels that it selects. */
export function withSelector(job: KubeObject): KubeObject {
  const { name, uid = '' } = job.metadata;
  const spec = membersOf(job.spec);
  const own = { 'batch.kubernetes.io/controller-uid': uid };
  const selected = {
    ...own,
    'batch.kubernetes.io/job-name': name,
    'controller-uid': uid,
    'job-name': name,
  };
  const labelled = (template: Json): Json => {
    const metadata = membersOf(template.metadata);
    return { ...template, metadata: { ...metadata, labels: { ...membersOf(metadata.labels), ...selected } } };
  };
  const { labels } = membersOf(membersOf(spec.template).metadata);
  // Labels that came from the template are one and the same map there, and here, and grow with it.
  const isShared = job.metadata.labels !== undefined && job.metadata.labels === labels;
  return {
    ...job,
    metadata: isShared ? { ...job.metadata, labels: { ...job.metadata.labels, ...selected } } : job.metadata,
    spec: { ...spec, selector: { matchLabels: own }, ...within(spec, 'template', labelled) },
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
  const jobSpec = (job: Json): Json => ({
    ...job,
    ...within(job, 'template', podTemplateDefaults),
    ...within(job, 'podFailurePolicy', podFailurePolicy),
  });
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
