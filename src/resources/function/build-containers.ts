import { confinedContainer } from '../kube/pod.ts';
import type { Build, BuildStrategy } from './build.ts';
import { canonicalResources } from './container-resources.ts';
import { escapeEnvValue } from './env.ts';
import type { FunctionSettings } from './settings.ts';

/** The steps of a build, in the order of their names here. The last one is the pod's main container. */
export interface BuildSteps {
  readonly initContainers: readonly object[];
  readonly containers: readonly object[];
}

/** The names of the steps, which the reporter and the Job's failure policy speak of. */
export const BUILD_CONTAINERS = Object.freeze({ fetch: 'fetch', build: 'build', push: 'push' });

/** The folder that the steps share. */
const WORK = '/work';
const TOKEN_FOLDER = '/var/run/sless';
const LOGIN_FOLDER = '/docker';

const STRATEGIES: Readonly<Record<BuildStrategy, (build: Build, settings: FunctionSettings) => BuildSteps>> =
  {
    append: appendSteps,
    dockerfile: dockerfileSteps,
  };

/** The containers that carry out a build. */
export function buildSteps(build: Build, settings: FunctionSettings): BuildSteps {
  return STRATEGIES[build.strategy](build, settings);
}

/** Code without dependencies is one layer upon the runtime's image. */
function appendSteps(build: Build, settings: FunctionSettings): BuildSteps {
  const { builder } = settings;
  const layer = `${WORK}/layer.tar.gz`;
  const args = ['append', `--base=${build.runtimeImage}`, `--new_layer=${layer}`, `--new_tag=${build.image}`];
  return {
    initContainers: [fetchStep(build, settings, { format: 'layer', file: layer })],
    containers: [pushStep(settings, builder.insecureRegistry ? [...args, '--insecure'] : args)],
  };
}

/**
 * Code with dependencies is built by its Dockerfile. The step that runs what the user wrote (install scripts) holds no credential:
 * neither the token that fetched the code nor the login that pushes the image.
 */
function dockerfileSteps(build: Build, settings: FunctionSettings): BuildSteps {
  const { builder } = settings;
  const context = `${WORK}/context.tar.gz`;
  const image = `${WORK}/image.tar`;
  const args = ['push', image, build.image];
  return {
    initContainers: [
      fetchStep(build, settings, { format: 'context', file: context }),
      kanikoStep(build, settings, { context, image }),
    ],
    containers: [pushStep(settings, builder.insecureRegistry ? [...args, '--insecure'] : args)],
  };
}

interface Fetched {
  readonly format: 'layer' | 'context';
  readonly file: string;
}

function fetchStep(build: Build, settings: FunctionSettings, fetched: Fetched): object {
  const { namespace, name, key } = build;
  const url = `${settings.builder.contextUrl}/internal/contexts/${namespace}/${name}?key=${encodeURIComponent(key)}`;
  const env = [
    { name: 'CONTEXT_FILE', value: fetched.file },
    { name: 'CONTEXT_FORMAT', value: fetched.format },
    { name: 'CONTEXT_TOKEN_FILE', value: `${TOKEN_FOLDER}/token` },
    { name: 'CONTEXT_URL', value: escapeEnvValue(url) },
  ];
  return {
    args: ['fetch'],
    env,
    image: settings.builder.fetchImage,
    ...step(settings, BUILD_CONTAINERS.fetch),
    securityContext: confinedContainer(),
    volumeMounts: [
      { mountPath: WORK, name: 'work' },
      { mountPath: TOKEN_FOLDER, name: 'token', readOnly: true },
    ],
  };
}

function kanikoStep(
  build: Build,
  settings: FunctionSettings,
  files: { context: string; image: string },
): object {
  const insecure = settings.builder.insecureRegistry ? ['--insecure-pull', '--skip-tls-verify-pull'] : [];
  return {
    args: [
      `--context=tar://${files.context}`,
      '--dockerfile=Dockerfile',
      `--build-arg=RUNTIME_IMAGE=${build.runtimeImage}`,
      `--destination=${build.image}`,
      '--no-push',
      `--tar-path=${files.image}`,
      ...insecure,
    ],
    // Present whenever a build of this strategy is wanted: see `BuilderUnavailable`.
    image: settings.builder.dockerfileImage ?? '',
    ...step(settings, BUILD_CONTAINERS.build),
    securityContext: { allowPrivilegeEscalation: true, runAsNonRoot: false, runAsUser: 0 },
    volumeMounts: [{ mountPath: WORK, name: 'work' }],
  };
}

function pushStep(settings: FunctionSettings, args: readonly string[]): object {
  const login = settings.builder.pushSecret !== undefined;
  return {
    args,
    ...(login ? { env: [{ name: 'DOCKER_CONFIG', value: LOGIN_FOLDER }] } : {}),
    image: settings.builder.craneImage,
    ...step(settings, BUILD_CONTAINERS.push),
    securityContext: confinedContainer(),
    volumeMounts: [
      { mountPath: WORK, name: 'work' },
      ...(login ? [{ mountPath: LOGIN_FOLDER, name: 'login', readOnly: true }] : []),
    ],
  };
}

function step(settings: FunctionSettings, name: string): object {
  const resources = canonicalResources(settings.builder.resources);
  return {
    imagePullPolicy: 'IfNotPresent',
    name,
    resources,
    terminationMessagePolicy: 'FallbackToLogsOnError',
  };
}

/** A token is good for the api alone, and no longer than a build may take. */
const TOKEN = { audience: 'sless-api', expirationSeconds: 3600, path: 'token' };

/** The volumes of a build's pod. Only the step that needs a credential mounts its volume. */
export function buildVolumes(settings: FunctionSettings): object[] {
  const { pushSecret } = settings.builder;
  return [
    { emptyDir: { sizeLimit: '4Gi' }, name: 'work' },
    { name: 'token', projected: { defaultMode: 420, sources: [{ serviceAccountToken: TOKEN }] } },
    ...(pushSecret === undefined
      ? []
      : [
          {
            name: 'login',
            secret: {
              defaultMode: 420,
              items: [{ key: '.dockerconfigjson', path: 'config.json' }],
              secretName: pushSecret,
            },
          },
        ]),
  ];
}
