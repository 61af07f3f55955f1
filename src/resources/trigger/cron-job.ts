import { KINDS } from '../kube/kinds.ts';
import type { KubeObject } from '../kube/object.ts';
import { confinedContainer, confinedPod } from '../kube/pod.ts';
import { type Cron, cronLabels } from './cron.ts';
import { PAYLOAD_FILE, payloadName } from './payload.ts';

/** What the hooks of cron Triggers know of the installation. */
export interface CronSettings {
  /** An image with `curl` on its PATH. */
  readonly image: string;
}

/** The container that calls. */
export const CRON_CONTAINER = 'call';

const FOLDER = '/payload';
/** The runtime's own answer that a call took too long comes first. */
const ANSWER_MARGIN_SECONDS = 10;
const CONNECT_SECONDS = 10;
/** Time to pull an image, and for two more pods where the function could not be reached (after 10 and 20 s). */
const START_MARGIN_SECONDS = 180;
/** curl's own words for a call that reached nobody: no such host, no connection. Nothing has run, so another pod may try. */
const UNREACHED = [6, 7];
const UNREACHED_RETRIES = 2;
/** A run that could not be begun so long after its time is left out; and one that fell due while disabled is not made up for. */
const STARTING_DEADLINE_SECONDS = 60;

/** The CronJob of a cron Trigger. It has the Trigger's name: 52 characters, to which Kubernetes adds 11 for each Job. */
export function buildCronJob(cron: Cron, settings: CronSettings): KubeObject {
  const { namespace, trigger } = cron;
  return {
    apiVersion: KINDS.CronJob.apiVersion,
    kind: KINDS.CronJob.kind,
    metadata: { name: trigger, namespace, labels: cronLabels(cron) },
    spec: {
      concurrencyPolicy: cron.concurrencyPolicy,
      failedJobsHistoryLimit: 3,
      jobTemplate: { metadata: { labels: cronLabels(cron) }, spec: jobSpec(cron, settings) },
      schedule: cron.schedule,
      startingDeadlineSeconds: STARTING_DEADLINE_SECONDS,
      successfulJobsHistoryLimit: 1,
      suspend: cron.suspended,
      timeZone: cron.timeZone,
    },
  };
}

/**
 * A call that was begun is never made again by itself: the function may have done half of its work. The pod of a node that is gone has no exit
 * code, so the second rule counts too; the first is asked first.
 */
function jobSpec(cron: Cron, settings: CronSettings): object {
  const onExitCodes = { containerName: CRON_CONTAINER, operator: 'NotIn', values: [0, ...UNREACHED] };
  return {
    activeDeadlineSeconds: cron.timeoutSeconds + ANSWER_MARGIN_SECONDS + START_MARGIN_SECONDS,
    backoffLimit: UNREACHED_RETRIES,
    podFailurePolicy: {
      rules: [
        { action: 'FailJob', onExitCodes },
        { action: 'FailJob', onPodConditions: [{ status: 'True', type: 'DisruptionTarget' }] },
      ],
    },
    podReplacementPolicy: 'Failed',
    template: {
      metadata: { labels: cronLabels(cron) },
      spec: {
        ...confinedPod(),
        containers: [container(cron, settings)],
        restartPolicy: 'Never',
        volumes: [
          {
            configMap: {
              defaultMode: 420,
              items: [{ key: PAYLOAD_FILE, path: PAYLOAD_FILE }],
              name: payloadName(cron),
            },
            name: 'payload',
          },
        ],
      },
    },
  };
}

function container(cron: Cron, settings: CronSettings): object {
  return {
    args: curlArguments(cron),
    // The image's own entrypoint is a shell script.
    command: ['curl'],
    env: [{ name: 'POD_NAME', valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.name' } } }],
    image: settings.image,
    imagePullPolicy: 'IfNotPresent',
    name: CRON_CONTAINER,
    // Limits of both kinds, so that a quota of either lets it through.
    resources: { limits: { cpu: '200m', memory: '64Mi' }, requests: { cpu: '10m', memory: '16Mi' } },
    securityContext: confinedContainer(),
    terminationMessagePolicy: 'FallbackToLogsOnError',
    volumeMounts: [{ mountPath: FOLDER, name: 'payload', readOnly: true }],
  };
}

/** The call, as the runtimes read it. Whatever the answer says goes to the log; one of 400 and more ends curl with 22. */
function curlArguments(cron: Cron): string[] {
  const { timeoutSeconds, trigger } = cron;
  const headers = {
    'Content-Type': 'application/json',
    'User-Agent': 'sless-cron',
    'X-Request-Id': '$(POD_NAME)',
    'X-Sless-Timeout-Ms': String(timeoutSeconds * 1000),
    'X-Sless-Trigger': 'cron',
    'X-Sless-Trigger-Name': trigger,
  };
  return [
    '--disable',
    '--silent',
    '--show-error',
    '--fail-with-body',
    '--noproxy',
    '*',
    '--connect-timeout',
    String(CONNECT_SECONDS),
    '--max-time',
    String(timeoutSeconds + ANSWER_MARGIN_SECONDS),
    ...Object.entries(headers).flatMap(([name, value]) => ['--header', `${name}: ${value}`]),
    '--data-binary',
    `@${FOLDER}/${PAYLOAD_FILE}`,
    `http://${cron.function}.${cron.namespace}.svc:8080/`,
  ];
}
