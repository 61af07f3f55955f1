import { type EnvVar, envVars, escapeEnvValue } from '../function/env.ts';
import { PLATFORM_ENV, SERVER_CONTAINER } from '../function/server.ts';
import type { FunctionSettings } from '../function/settings.ts';
import { KINDS } from '../kube/kinds.ts';
import type { KubeObject } from '../kube/object.ts';
import { confinedContainer, confinedPod } from '../kube/pod.ts';
import { EVENT_FILE } from './event.ts';
import type { Offer } from './offer.ts';
import { eventName, jobName, type Run, runAnnotations, runLabels } from './run.ts';
import type { FunctionJobSpec } from './schema.ts';

/** Where the runtime finds the event; that it is told of a file makes it run once. */
const FOLDER = '/etc/sless/event';
const EVENT_FILE_ENV = 'SLESS_EVENT_FILE';
/** The runtime's own word for a run that took too long comes first; before that, an image may have to be pulled. */
const MARGIN_SECONDS = 60;
/** A run that is ended (deleted, replaced, too long) has so long to end by itself. The runtimes end at once. */
export const GRACE_SECONDS = 10;

/** What a run's Job is made from. */
export interface JobParts {
  readonly run: Run;
  readonly spec: Pick<FunctionJobSpec, 'retries' | 'timeoutSeconds'>;
  readonly offer: Offer;
}

/**
 * The Job of a run: the function's image in once mode. A disrupted pod counts as a failed one, because it may have done half of its work, and
 * only `retries` says whether that may be done again.
 */
export function buildRunJob(parts: JobParts, settings: FunctionSettings): KubeObject {
  const { run, spec } = parts;
  return {
    apiVersion: KINDS.Job.apiVersion,
    kind: KINDS.Job.kind,
    metadata: {
      name: jobName(run),
      namespace: run.namespace,
      labels: runLabels(run),
      annotations: runAnnotations(run),
    },
    spec: {
      activeDeadlineSeconds: spec.timeoutSeconds + MARGIN_SECONDS,
      backoffLimit: spec.retries,
      podReplacementPolicy: 'Failed',
      template: {
        metadata: { annotations: runAnnotations(run), labels: runLabels(run) },
        spec: podSpec(parts, settings),
      },
    },
  };
}

function podSpec(parts: JobParts, settings: FunctionSettings): object {
  const items = [{ key: EVENT_FILE, path: EVENT_FILE }];
  return {
    ...confinedPod(),
    containers: [container(parts)],
    ...(settings.pullSecret === undefined ? {} : { imagePullSecrets: [{ name: settings.pullSecret }] }),
    restartPolicy: 'Never',
    terminationGracePeriodSeconds: GRACE_SECONDS,
    volumes: [
      { emptyDir: { sizeLimit: '512Mi' }, name: 'tmp' },
      { configMap: { defaultMode: 420, items, name: eventName(parts.run) }, name: 'event' },
    ],
  };
}

function container(parts: JobParts): object {
  const { image, secrets, resources } = parts.offer;
  return {
    env: containerEnv(parts),
    ...(secrets.length === 0 ? {} : { envFrom: secrets.map((name) => ({ secretRef: { name } })) }),
    image,
    imagePullPolicy: 'IfNotPresent',
    name: SERVER_CONTAINER,
    resources: {
      ...(Object.keys(resources.limits).length === 0 ? {} : { limits: { ...resources.limits } }),
      ...(Object.keys(resources.requests).length === 0 ? {} : { requests: { ...resources.requests } }),
    },
    securityContext: confinedContainer(),
    terminationMessagePolicy: 'FallbackToLogsOnError',
    volumeMounts: [
      { mountPath: '/tmp', name: 'tmp' },
      { mountPath: FOLDER, name: 'event', readOnly: true },
    ],
  };
}

/** As a server of the function has it, but for the time limit, which is the run's, and the event. */
function containerEnv({ run, spec, offer }: JobParts): EnvVar[] {
  const platform = {
    [EVENT_FILE_ENV]: `${FOLDER}/${EVENT_FILE}`,
    [PLATFORM_ENV.timeout]: String(spec.timeoutSeconds),
    [PLATFORM_ENV.function]: run.function,
    [PLATFORM_ENV.namespace]: run.namespace,
  };
  const entrypoint = { name: PLATFORM_ENV.entrypoint, value: escapeEnvValue(offer.entrypoint) };
  return [entrypoint, ...envVars({ ...offer.env, ...platform })];
}
