import { KINDS } from '../kube/kinds.ts';
import { ANNOTATIONS } from '../kube/labels.ts';
import type { KubeObject } from '../kube/object.ts';
import { confinedPod } from '../kube/pod.ts';
import type { Build } from './build.ts';
import { appendPod } from './build-append.ts';
import { directPod } from './build-direct.ts';
import { isolatedPod } from './build-isolated.ts';
import { BUILD_CONTAINERS, type BuildPod, CA_ANNOTATION } from './build-steps.ts';
import { buildLabels } from './labels.ts';
import type { FunctionSettings, KanikoSettings } from './settings.ts';

/** The code with which `sless fetch` says that another try would fail the same way: EX_DATAERR and EX_NOPERM of sysexits.h. */
const FETCH_REFUSED = [65, 77];

/** The same of the steps that speak with the registry: no image, no base, too large, refused. EX_NOINPUT and EX_CANTCREAT are the two in the middle. */
const REGISTRY_REFUSED = [65, 66, 73, 77];

/** By step, the exit codes that end a build: its next pod would end the same way. */
const FINAL_FAILURES: Readonly<Record<string, object>> = {
  [BUILD_CONTAINERS.fetch]: { operator: 'In', values: FETCH_REFUSED },
  [BUILD_CONTAINERS.base]: { operator: 'In', values: REGISTRY_REFUSED },
  // Exit code 0 is never looked at, so this means every failure.
  [BUILD_CONTAINERS.build]: { operator: 'NotIn', values: [0] },
  [BUILD_CONTAINERS.push]: { operator: 'In', values: REGISTRY_REFUSED },
};

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
  const { serviceAccount } = settings.builder;
  const { volumes, ...containers } = buildPod(build, settings);
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
      podFailurePolicy: { rules: failureRules(containers) },
      podReplacementPolicy: 'Failed',
      template: {
        metadata: { annotations: podAnnotations(build, settings), labels: buildLabels(namespace, name) },
        spec: {
          ...confinedPod(),
          ...containers,
          restartPolicy: 'Never',
          ...(serviceAccount === undefined ? {} : { serviceAccountName: serviceAccount }),
          ...(volumes.length === 0 ? {} : { volumes }),
        },
      },
    },
  };
}

/** A Job that is there is described by itself, maybe in an installation that has lost its builder: then nothing comes of this. */
const NO_KANIKO: KanikoSettings = { image: '', mode: 'isolated', storeSecret: '', storeRegion: '' };

function buildPod(build: Build, settings: FunctionSettings): BuildPod {
  if (build.strategy === 'append') return appendPod(build, settings);
  const { kaniko = NO_KANIKO } = settings.builder;
  return kaniko.mode === 'direct' ? directPod(build, settings, kaniko) : isolatedPod(build, settings, kaniko);
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

function podAnnotations(build: Build, { builder: { registryCa } }: FunctionSettings): Record<string, string> {
  return {
    ...buildAnnotations(build),
    ...(registryCa === undefined ? {} : { [CA_ANNOTATION]: registryCa }),
  };
}

function failureRules({ initContainers = [], containers }: Omit<BuildPod, 'volumes'>): object[] {
  return [
    { action: 'Ignore', onPodConditions: [{ status: 'True', type: 'DisruptionTarget' }] },
    // A rule may only name containers that are there.
    ...[...initContainers, ...containers].flatMap(({ name }) => {
      const onExitCodes = FINAL_FAILURES[name];
      return onExitCodes === undefined
        ? []
        : [{ action: 'FailJob', onExitCodes: { containerName: name, ...onExitCodes } }];
    }),
  ];
}
