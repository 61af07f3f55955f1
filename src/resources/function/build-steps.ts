import { confinedContainer } from '../kube/pod.ts';
import type { Build } from './build.ts';
import { canonicalResources } from './container-resources.ts';
import { escapeEnvValue } from './env.ts';
import type { BuilderSettings, FunctionSettings } from './settings.ts';

/** A container of a build's pod. */
export type Step = { readonly name: string } & Readonly<Record<string, unknown>>;

/** What carries out a build: its steps in the order in which they run, and what they share. */
export interface BuildPod {
  readonly initContainers?: readonly Step[];
  /** One: the step that ends with the image in the registry. */
  readonly containers: readonly [Step];
  readonly volumes: readonly object[];
}

/** The names of the steps, which the reporter and the Job's failure policy speak of. */
export const BUILD_CONTAINERS = Object.freeze({ fetch: 'fetch', base: 'base', build: 'build', push: 'push' });

/** The folder that the steps share. */
export const WORK = '/work';
export const WORK_MOUNT = Object.freeze({ mountPath: WORK, name: 'work' });
const TOKEN_FOLDER = '/var/run/sless';
const LOGIN_FOLDER = '/docker';
const CA_FOLDER = '/registry-ca';
const CA_FILE = 'ca.crt';

/** The file with the registry's own CA, where a step has mounted it. */
export const CA_PATH = `${CA_FOLDER}/${CA_FILE}`;

interface Fetched {
  readonly format: 'layer' | 'context';
  readonly file: string;
}

/** Brings the code. The only step with a token, which is good for the api alone. */
export function fetchStep(build: Build, settings: FunctionSettings, fetched: Fetched): Step {
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
    image: settings.builder.slessImage,
    ...commonOfSteps(settings.builder, BUILD_CONTAINERS.fetch),
    securityContext: confinedContainer(),
    volumeMounts: [WORK_MOUNT, { mountPath: TOKEN_FOLDER, name: 'token', readOnly: true }],
  };
}

/** Puts what the steps before have left into the registry. The only step with a login. */
export function pushStep(
  build: Build,
  { builder }: FunctionSettings,
  pushed: { readonly file: string; readonly base?: string },
): Step {
  const env = [
    ...(pushed.base === undefined ? [] : [{ name: 'PUSH_BASE', value: pushed.base }]),
    { name: 'PUSH_FILE', value: pushed.file },
    { name: 'PUSH_IMAGE', value: build.image },
  ];
  return registryStep(builder, { name: BUILD_CONTAINERS.push, args: ['push'], env });
}

interface RegistryStep {
  readonly name: string;
  readonly args: readonly string[];
  readonly env: readonly object[];
}

/** A step of ours that speaks with the registry, and runs nothing of the user's. */
export function registryStep(builder: BuilderSettings, { name, args, env }: RegistryStep): Step {
  const login = loginMount(builder, LOGIN_FOLDER);
  const ca = caMount(builder);
  return {
    args,
    env: [
      ...(login.length === 0 ? [] : [{ name: 'DOCKER_CONFIG', value: LOGIN_FOLDER }]),
      ...env,
      ...(ca.length === 0 ? [] : [{ name: 'REGISTRY_CA', value: CA_PATH }]),
      ...(builder.insecureRegistry ? [{ name: 'REGISTRY_INSECURE', value: 'true' }] : []),
    ],
    image: builder.slessImage,
    ...commonOfSteps(builder, name),
    securityContext: confinedContainer(),
    volumeMounts: [WORK_MOUNT, ...login, ...ca],
  };
}

/** What all steps have in common. */
export function commonOfSteps(builder: BuilderSettings, name: string): Step {
  return {
    imagePullPolicy: 'IfNotPresent',
    name,
    resources: canonicalResources(builder.resources),
    terminationMessagePolicy: 'FallbackToLogsOnError',
  };
}

export const loginMount = ({ pushSecret }: BuilderSettings, mountPath: string): object[] =>
  pushSecret === undefined ? [] : [{ mountPath, name: 'login', readOnly: true }];

export const caMount = ({ registryCa }: BuilderSettings): object[] =>
  registryCa === undefined ? [] : [{ mountPath: CA_FOLDER, name: 'registry-ca', readOnly: true }];

export const workVolume = ({ volumeSize }: BuilderSettings): object => ({
  emptyDir: { sizeLimit: volumeSize },
  name: 'work',
});

/** A token is good for the api alone, and for as short as Kubernetes has them; it is renewed while the pod is there. */
const TOKEN = { audience: 'sless-api', expirationSeconds: 600, path: 'token' };

export const tokenVolume = (): object => ({
  name: 'token',
  projected: { defaultMode: 420, sources: [{ serviceAccountToken: TOKEN }] },
});

/** The volumes with which steps reach the registry: the login, and the CA where it has one of its own. */
export function registryVolumes({ pushSecret, registryCa }: BuilderSettings): object[] {
  const items = [{ key: '.dockerconfigjson', path: 'config.json' }];
  return [
    ...(pushSecret === undefined
      ? []
      : [{ name: 'login', secret: { defaultMode: 420, items, secretName: pushSecret } }]),
    ...(registryCa === undefined ? [] : [caVolume()]),
  ];
}

/** On the pod's template, so that no object with the certificate has to lie in the tenant's namespace. */
export const CA_ANNOTATION = 'sless.dev/registry-ca';

const caVolume = (): object => ({
  downwardAPI: {
    defaultMode: 420,
    items: [
      {
        fieldRef: { apiVersion: 'v1', fieldPath: `metadata.annotations['${CA_ANNOTATION}']` },
        path: CA_FILE,
      },
    ],
  },
  name: 'registry-ca',
});
