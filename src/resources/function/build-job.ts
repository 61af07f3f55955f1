import { KINDS } from '../kube/kinds.ts';
import { ANNOTATIONS } from '../kube/labels.ts';
import type { KubeObject } from '../kube/object.ts';
import { confinedPod } from '../kube/pod.ts';
import type { Build } from './build.ts';
import { BUILD_CONTAINERS, buildSteps, buildVolumes } from './build-containers.ts';
import { buildLabels } from './labels.ts';
import type { FunctionSettings } from './settings.ts';

/** The code with which `sless fetch` says that another try would fail the same way: EX_DATAERR and EX_NOPERM of sysexits.h. */
const FETCH_REFUSED = [65, 77];

/**
 * Pods of a build that may fail for what is not the user's: a registry's 5xx, a node that was lost. The pauses between them grow from
 * 10 s, so three tries outlive a restart of the registry.
 */
const INFRASTRUCTURE_RETRIES = 2;

/**
 * The build Job. What the user's code did (any failure of the step `build`) ends it at once, as `backoffLimit: 0` would; a disrupted pod
 * counts for nothing; the other steps fail for reasons that pass, and are tried a few times. The active deadline bounds all of it.
 */
export function buildJob(build: Build, settings: FunctionSettings): KubeObject {
  const { namespace, name } = build;
  return {
    apiVersion: KINDS.Job.apiVersion,
    kind: KINDS.Job.kind,
    metadata: {
      name: build.job,
      namespace,
      labels: buildLabels(namespace, name),
      annotations: buildAnnotations(build),
    },
    spec: {
      activeDeadlineSeconds: build.timeoutSeconds,
      backoffLimit: INFRASTRUCTURE_RETRIES,
      podFailurePolicy: { rules: failureRules(build) },
      podReplacementPolicy: 'Failed',
      template: {
        metadata: { annotations: buildAnnotations(build), labels: buildLabels(namespace, name) },
        spec: podSpec(build, settings),
      },
    },
  };
}

function buildAnnotations(build: Build): Record<string, string> {
  return {
    [ANNOTATIONS.strategy]: build.strategy,
    [ANNOTATIONS.builtKey]: build.key,
    [ANNOTATIONS.image]: build.image,
    ...(build.rebuild === undefined ? {} : { [ANNOTATIONS.rebuild]: build.rebuild }),
    [ANNOTATIONS.runtimeImage]: build.runtimeImage,
  };
}

function failureRules(build: Build): object[] {
  const codes = (containerName: string, onExitCodes: object): object => ({
    action: 'FailJob',
    onExitCodes: { containerName, ...onExitCodes },
  });
  return [
    { action: 'Ignore', onPodConditions: [{ status: 'True', type: 'DisruptionTarget' }] },
    codes(BUILD_CONTAINERS.fetch, { operator: 'In', values: FETCH_REFUSED }),
    // Exit code 0 is never looked at, so this means every failure.
    ...(build.strategy === 'dockerfile'
      ? [codes(BUILD_CONTAINERS.build, { operator: 'NotIn', values: [0] })]
      : []),
  ];
}

function podSpec(build: Build, settings: FunctionSettings): object {
  const { serviceAccount } = settings.builder;
  return {
    ...confinedPod(),
    ...buildSteps(build, settings),
    restartPolicy: 'Never',
    ...(serviceAccount === undefined ? {} : { serviceAccountName: serviceAccount }),
    volumes: buildVolumes(settings),
  };
}
