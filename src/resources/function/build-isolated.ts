import { shortHash } from '../kube/hash.ts';
import type { Build } from './build.ts';
import { baseArgs, commonArgs, kanikoStep, pullArgs } from './build-kaniko.ts';
import {
  BUILD_CONTAINERS,
  type BuildPod,
  caMount,
  fetchStep,
  pushStep,
  registryStep,
  registryVolumes,
  type Step,
  tokenVolume,
  WORK,
  WORK_MOUNT,
  workVolume,
} from './build-steps.ts';
import type { FunctionSettings, KanikoSettings } from './settings.ts';

const CONTEXT = `${WORK}/context.tar.gz`;
const IMAGE = `${WORK}/image.tar`;

/**
 * Code with dependencies is built by its Dockerfile. The step that runs what the user wrote (install scripts) holds no credential: neither the
 * token that fetched the code nor the login that pushes the image.
 */
export function isolatedPod(build: Build, settings: FunctionSettings, kaniko: KanikoSettings): BuildPod {
  const { builder } = settings;
  const cache = cacheOf(build, kaniko);
  const base = builder.pushSecret === undefined ? pulledBase(build) : broughtBase(build, settings);
  const args = [
    `--context=tar://${CONTEXT}`,
    ...base.args,
    ...commonArgs(build, settings),
    '--no-push',
    `--tar-path=${IMAGE}`,
    ...cacheArgs(cache, base),
    ...pullArgs(settings),
  ];
  const volumeMounts = [WORK_MOUNT, ...cache.mounts, ...caMount(builder)];
  return {
    initContainers: [
      fetchStep(build, settings, { format: 'context', file: CONTEXT }),
      ...base.steps,
      kanikoStep(settings, kaniko, { args, env: base.env, volumeMounts }),
    ],
    containers: [pushStep(build, settings, { file: IMAGE })],
    volumes: [workVolume(builder), tokenVolume(), ...registryVolumes(builder), ...cache.volumes],
  };
}

/** How the runtime's image comes into the build. */
interface Base {
  readonly steps: readonly Step[];
  readonly args: readonly string[];
  readonly env: readonly object[];
  /** The folder in which kaniko finds it, where it is brought. */
  readonly folder?: string;
}

/** Kaniko pulls it: anybody may. */
const pulledBase = (build: Build): Base => ({ steps: [], args: baseArgs(build), env: [] });

/**
 * Where the registry asks for a login, a step of ours that has it brings the image, and kaniko takes it from its cache of base images. It looks there
 * for a digest alone, which nobody knows before: so that step writes a Dockerfile which names it.
 */
function broughtBase(build: Build, { builder }: FunctionSettings): Base {
  const folder = `${WORK}/base`;
  const env = [
    { name: 'BASE_FOLDER', value: folder },
    { name: 'BASE_IMAGE', value: build.runtimeImage },
    { name: 'CONTEXT_FILE', value: CONTEXT },
  ];
  return {
    steps: [registryStep(builder, { name: BUILD_CONTAINERS.base, args: ['base'], env })],
    args: [`--dockerfile=${folder}/Dockerfile`],
    // The form of that cache that all forks know.
    env: [{ name: 'FF_KANIKO_OCI_WARMER', value: 'false' }],
    folder,
  };
}

interface Cache {
  /** The folder for layers. */
  readonly repository?: string;
  readonly mounts: readonly object[];
  readonly volumes: readonly object[];
}

/** Layers are kept in a volume of the tenant's own namespace: what one function puts there, only its neighbours come to use. */
function cacheOf({ rebuild }: Build, { cacheClaim }: KanikoSettings): Cache {
  if (cacheClaim === undefined) return { mounts: [], volumes: [] };
  // Who asks for a rebuild wants what the world has by now, and not what the cache has kept.
  const layers = rebuild === undefined ? 'layers' : `layers-${shortHash(rebuild)}`;
  return {
    repository: `/cache/${layers}`,
    mounts: [{ mountPath: '/cache', name: 'cache' }],
    volumes: [{ name: 'cache', persistentVolumeClaim: { claimName: cacheClaim } }],
  };
}

/** One switch is for both caches, that of layers and that of base images. */
function cacheArgs({ repository }: Cache, { folder }: Base): string[] {
  if (repository === undefined && folder === undefined) return [];
  return [
    '--cache=true',
    ...(folder === undefined ? [] : [`--cache-dir=${folder}`]),
    ...(repository === undefined
      ? ['--cache-run-layers=false', `--cache-repo=oci:${WORK}/no-layers`]
      : [`--cache-repo=oci:${repository}`]),
  ];
}
