import { KINDS } from '../kube/kinds.ts';
import { ANNOTATIONS } from '../kube/labels.ts';
import type { KubeObject } from '../kube/object.ts';
import { confinedContainer, confinedPod } from '../kube/pod.ts';
import { type EnvVar, envVars, escapeEnvValue } from './env.ts';
import { serverLabels, serverSelector } from './labels.ts';
import { ownedParts } from './owned.ts';
import { PLATFORM_ENV, SERVER_CONTAINER, type Server } from './server.ts';
import type { FunctionSettings } from './settings.ts';
import { versionAnnotations } from './version.ts';

/** The port of every function, in its pods and at its Service. */
export const SERVER_PORT = 8080;
const HEALTH_PATH = '/_sless/health';

/** A rollout without progress for so long has failed: time to pull a large image and to start. */
const PROGRESS_DEADLINE_SECONDS = 180;
/** The proxies learn of a pod's end within a second; until then it still takes calls. */
const DRAIN_SECONDS = 3;
/** A pod that ends waits for its calls as long as one may last, but nobody's node drain waits longer than this. */
const MAX_GRACE_SECONDS = 600;
/** Between the runtime's own end and the kill. */
const GRACE_MARGIN_SECONDS = 5;

/** How often a container is asked whether it still lives. */
const LIVENESS_PERIOD_SECONDS = 10;

/** The Deployment of a function, the same for create and update. Canonical: fed back, it yields itself. */
export function buildDeployment(server: Server, settings: FunctionSettings): KubeObject {
  const { name, namespace } = server;
  return {
    apiVersion: KINDS.Deployment.apiVersion,
    kind: KINDS.Deployment.kind,
    metadata: {
      name,
      namespace,
      labels: serverLabels(name),
      annotations: { ...versionAnnotations(server.version), [ANNOTATIONS.owned]: ownedParts(server) },
    },
    spec: {
      progressDeadlineSeconds: PROGRESS_DEADLINE_SECONDS,
      replicas: server.replicas,
      revisionHistoryLimit: 2,
      selector: { matchLabels: serverSelector(name) },
      strategy: { rollingUpdate: { maxSurge: '25%', maxUnavailable: 0 }, type: 'RollingUpdate' },
      template: {
        metadata: {
          ...(server.restart === undefined ? {} : { annotations: { [ANNOTATIONS.restart]: server.restart } }),
          labels: serverLabels(name),
        },
        spec: podSpec(server, settings),
      },
    },
  };
}

const graceSeconds = (server: Server): number => Math.min(server.timeoutSeconds, MAX_GRACE_SECONDS);

function podSpec(server: Server, settings: FunctionSettings): object {
  return {
    ...confinedPod(),
    containers: [container(server)],
    ...(settings.pullSecret === undefined ? {} : { imagePullSecrets: [{ name: settings.pullSecret }] }),
    terminationGracePeriodSeconds: DRAIN_SECONDS + graceSeconds(server) + GRACE_MARGIN_SECONDS,
    topologySpreadConstraints: [
      {
        labelSelector: { matchLabels: serverSelector(server.name) },
        maxSkew: 1,
        topologyKey: 'kubernetes.io/hostname',
        whenUnsatisfiable: 'ScheduleAnyway',
      },
    ],
    volumes: [{ emptyDir: { sizeLimit: '512Mi' }, name: 'tmp' }],
  };
}

/**
 * A server that never answers again, or whose slots are all held by calls past their limit, is started anew; see docs/adr/0016. A call may
 * keep a server from answering for as long as a call may last, and a start may take as long as a rollout waits for it: only both
 * together prove that nothing comes any more.
 */
function livenessProbe({ timeoutSeconds }: Server): object {
  return {
    failureThreshold: Math.ceil((PROGRESS_DEADLINE_SECONDS + timeoutSeconds) / LIVENESS_PERIOD_SECONDS),
    httpGet: { path: HEALTH_PATH, port: 'http' },
    periodSeconds: LIVENESS_PERIOD_SECONDS,
    // No call is left that an end should wait for.
    terminationGracePeriodSeconds: DRAIN_SECONDS + GRACE_MARGIN_SECONDS,
    timeoutSeconds: 5,
  };
}

function container(server: Server): object {
  const { secrets, resources, version } = server;
  return {
    env: containerEnv(server),
    ...(secrets.length === 0 ? {} : { envFrom: secrets.map((name) => ({ secretRef: { name } })) }),
    image: version.image,
    // An image is named by digest or by a tag that never moves.
    imagePullPolicy: 'IfNotPresent',
    lifecycle: { preStop: { sleep: { seconds: DRAIN_SECONDS } } },
    livenessProbe: livenessProbe(server),
    name: SERVER_CONTAINER,
    ports: [{ containerPort: SERVER_PORT, name: 'http', protocol: 'TCP' }],
    readinessProbe: {
      failureThreshold: 3,
      httpGet: { path: HEALTH_PATH, port: 'http' },
      periodSeconds: 1,
      timeoutSeconds: 1,
    },
    resources: {
      ...(Object.keys(resources.limits).length === 0 ? {} : { limits: { ...resources.limits } }),
      ...(Object.keys(resources.requests).length === 0 ? {} : { requests: { ...resources.requests } }),
    },
    securityContext: confinedContainer(),
    terminationMessagePolicy: 'FallbackToLogsOnError',
    volumeMounts: [{ mountPath: '/tmp', name: 'tmp' }],
  };
}

/** The entrypoint first, for whoever reads the object; the rest by name. */
function containerEnv(server: Server): EnvVar[] {
  const platform = {
    [PLATFORM_ENV.timeout]: String(server.timeoutSeconds),
    [PLATFORM_ENV.concurrency]: String(server.concurrency),
    [PLATFORM_ENV.function]: server.name,
    [PLATFORM_ENV.namespace]: server.namespace,
    [PLATFORM_ENV.grace]: String(graceSeconds(server)),
    [PLATFORM_ENV.port]: String(SERVER_PORT),
  };
  const entrypoint = { name: PLATFORM_ENV.entrypoint, value: escapeEnvValue(server.entrypoint) };
  return [entrypoint, ...envVars({ ...server.env, ...platform })];
}
