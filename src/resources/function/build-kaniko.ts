import { shortHash } from '../kube/hash.ts';
import type { Build } from './build.ts';
import {
  BUILD_CONTAINERS,
  type BuildPod,
  CA_PATH,
  caMount,
  commonOfSteps,
  fetchStep,
  loginMount,
  pushStep,
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
  const args = [
    `--context=tar://${CONTEXT}`,
    ...commonArgs(build, settings),
    '--no-push',
    `--tar-path=${IMAGE}`,
    ...cache.args,
    ...pullArgs(settings),
  ];
  return {
    initContainers: [
      fetchStep(build, settings, { format: 'context', file: CONTEXT }),
      kanikoStep(settings, kaniko, {
        args,
        volumeMounts: [WORK_MOUNT, ...cache.mounts, ...caMount(builder)],
      }),
    ],
    containers: [pushStep(build, settings, { file: IMAGE })],
    volumes: [workVolume(builder), tokenVolume(), ...registryVolumes(builder), ...cache.volumes],
  };
}

/**
 * Everything in one container, which is quicker and has a cache in the registry, and whose install scripts can read the logins of
 * registry and object store: for installations that belong to those who write the functions.
 */
export function directPod(build: Build, settings: FunctionSettings, kaniko: KanikoSettings): BuildPod {
  const { builder, bucket } = settings;
  const secret = builder.insecureRegistry ? ['--insecure', '--skip-tls-verify'] : [];
  const args = [
    `--context=s3://${bucket}/${build.key}`,
    ...commonArgs(build, settings),
    '--cache=true',
    // What is written there, Kubernetes shows in the pod's status.
    '--digest-file=/dev/termination-log',
    `--push-retry=${RETRIES}`,
    ...secret,
    ...pullArgs(settings),
  ];
  const login = loginMount(builder, LOGIN_FOLDER);
  const env = [
    ...storeEnv(kaniko),
    ...(login.length === 0 ? [] : [{ name: 'DOCKER_CONFIG', value: LOGIN_FOLDER }]),
  ];
  const volumeMounts = [...login, ...caMount(builder)];
  return {
    containers: [
      kanikoStep(settings, kaniko, { args, env, ...(volumeMounts.length === 0 ? {} : { volumeMounts }) }),
    ],
    volumes: registryVolumes(builder),
  };
}

/** Where kaniko looks for a login, and what it leaves out of the image. */
const LOGIN_FOLDER = '/kaniko/.docker';

/** Kaniko tells all of its failures by one exit code, so what may pass is tried again by itself; the pauses grow from a second. */
const RETRIES = 4;

function commonArgs(build: Build, settings: FunctionSettings): string[] {
  const { registryCa } = settings.builder;
  const host = settings.registry.split('/', 1)[0] ?? '';
  return [
    '--dockerfile=Dockerfile',
    `--build-arg=RUNTIME_IMAGE=${build.runtimeImage}`,
    `--destination=${build.image}`,
    `--image-download-retry=${RETRIES}`,
    // Its lines come to be read by people, and in places that know no colours.
    '--log-format=text',
    '--log-timestamp=false',
    ...(registryCa === undefined ? [] : [`--registry-certificate=${host}=${CA_PATH}`]),
  ];
}

const pullArgs = ({ builder }: FunctionSettings): string[] =>
  builder.insecureRegistry ? ['--insecure-pull', '--skip-tls-verify-pull'] : [];

function kanikoStep({ builder }: FunctionSettings, { image }: KanikoSettings, own: object): Step {
  return {
    image,
    ...commonOfSteps(builder, BUILD_CONTAINERS.build),
    // It unpacks images into its own root file system, with their owners.
    securityContext: { allowPrivilegeEscalation: true, runAsNonRoot: false, runAsUser: 0 },
    ...own,
  };
}

/** The store's keys, and where it is, by the names that the AWS SDK knows. */
function storeEnv({ storeSecret, storeRegion }: KanikoSettings): object[] {
  const stored = (name: string, more: object = {}): object => ({
    name,
    valueFrom: { secretKeyRef: { key: name, name: storeSecret, ...more } },
  });
  return [
    stored('AWS_ACCESS_KEY_ID'),
    stored('AWS_SECRET_ACCESS_KEY'),
    { name: 'AWS_REGION', value: storeRegion },
    // Absent for the store of AWS itself.
    stored('S3_ENDPOINT', { optional: true }),
    // Every store understands paths; with names of buckets as hosts many do not.
    { name: 'S3_FORCE_PATH_STYLE', value: 'true' },
  ];
}

interface Cache {
  readonly args: readonly string[];
  readonly mounts: readonly object[];
  readonly volumes: readonly object[];
}

/** Layers are kept in a volume of the tenant's own namespace: what one function puts there, only its neighbours come to use. */
function cacheOf({ rebuild }: Build, { cacheClaim }: KanikoSettings): Cache {
  if (cacheClaim === undefined) return { args: [], mounts: [], volumes: [] };
  // Who asks for a rebuild wants what the world has by now, and not what the cache has kept.
  const layers = rebuild === undefined ? 'layers' : `layers-${shortHash(rebuild)}`;
  return {
    args: ['--cache=true', `--cache-repo=oci:/cache/${layers}`],
    mounts: [{ mountPath: '/cache', name: 'cache' }],
    volumes: [{ name: 'cache', persistentVolumeClaim: { claimName: cacheClaim } }],
  };
}
