import { ANNOTATIONS } from '../kube/labels.ts';
import type { KubeObject } from '../kube/object.ts';
import type { ContainerResources } from './container-resources.ts';
import { containerResources } from './container-resources.ts';
import { type EnvVar, readEnvVars } from './env.ts';
import type { FunctionSpec } from './schema.ts';
import type { FunctionSettings } from './settings.ts';
import { deployedVersion, type Version } from './version.ts';

/**
 * All that a function's Deployment is made from, and all that can be read back from one. So "stays exactly as it is" needs no copy
 * of the object: what is read back and built again is the same, byte for byte.
 */
export interface Server {
  readonly namespace: string;
  readonly name: string;
  readonly version: Version;
  readonly replicas: number;
  readonly entrypoint: string;
  readonly env: Readonly<Record<string, string>>;
  readonly secrets: readonly string[];
  readonly resources: ContainerResources;
  readonly timeoutSeconds: number;
  readonly concurrency: number;
  /** The restart annotation; another value restarts the pods. */
  readonly restart: string | undefined;
}

interface WantedServer {
  readonly parent: KubeObject;
  readonly spec: FunctionSpec;
  readonly version: Version;
  readonly stopped: boolean;
  readonly restart: string | undefined;
}

/** The server that a spec asks for. */
export function wantedServer(wanted: WantedServer, settings: FunctionSettings): Server {
  const { parent, spec, version, stopped, restart } = wanted;
  return {
    namespace: parent.metadata.namespace ?? '',
    name: parent.metadata.name,
    version,
    replicas: stopped ? 0 : spec.replicas,
    entrypoint: spec.entrypoint ?? settings.runtimes.get(spec.runtime)?.entrypoint ?? '',
    env: spec.env,
    secrets: spec.secrets,
    resources: containerResources(spec.resources, settings.resources),
    timeoutSeconds: spec.timeoutSeconds,
    concurrency: spec.concurrency,
    restart,
  };
}

/** What is read of an observed Deployment's spec. Written by us, filled up by the API server. */
interface DeploymentSpec {
  readonly replicas?: number;
  readonly template?: {
    readonly metadata?: { readonly annotations?: Readonly<Record<string, string>> };
    readonly spec?: { readonly containers?: readonly Container[] };
  };
}

interface Container {
  readonly name: string;
  readonly env?: readonly EnvVar[];
  readonly envFrom?: readonly { readonly secretRef?: { readonly name?: string } }[];
  readonly resources?: Partial<ContainerResources>;
}

/** The variables that a function's container gets from the platform, by what they say. */
export const PLATFORM_ENV = Object.freeze({
  entrypoint: 'SLESS_ENTRYPOINT',
  timeout: 'SLESS_TIMEOUT_SECONDS',
  concurrency: 'SLESS_CONCURRENCY',
  function: 'SLESS_FUNCTION',
  namespace: 'SLESS_NAMESPACE',
  grace: 'SLESS_GRACE_SECONDS',
  /** Said aloud, because a Secret with a key of this name would move the server to another port. */
  port: 'PORT',
});

/** Names that the platform keeps to itself; the schema refuses them to users. */
const RESERVED_ENV = /^(SLESS_.*|PORT)$/;

/** The container of a function's pods. */
export const SERVER_CONTAINER = 'function';

/** What a Deployment was made from; `undefined` when it is not one of ours or was altered beyond reading. */
export function readServer(deployment: KubeObject | undefined): Server | undefined {
  // Of ours, and admitted by the API server: the shape is that of apps/v1.
  const spec = deployment?.spec as DeploymentSpec | undefined;
  const version = deployedVersion(deployment);
  const container = spec?.template?.spec?.containers?.find(({ name }) => name === SERVER_CONTAINER);
  if (deployment === undefined || version === undefined || container === undefined) return undefined;
  const vars = readEnvVars(container.env ?? []);
  const own = Object.entries(vars).filter(([name]) => !RESERVED_ENV.test(name));
  return {
    namespace: deployment.metadata.namespace ?? '',
    name: deployment.metadata.name,
    version,
    replicas: spec?.replicas ?? 1,
    entrypoint: vars[PLATFORM_ENV.entrypoint] ?? '',
    env: Object.fromEntries(own),
    secrets: (container.envFrom ?? []).flatMap(({ secretRef }) => secretRef?.name ?? []),
    resources: {
      requests: container.resources?.requests ?? {},
      limits: container.resources?.limits ?? {},
    },
    timeoutSeconds: Number(vars[PLATFORM_ENV.timeout] ?? 60),
    concurrency: Number(vars[PLATFORM_ENV.concurrency] ?? 100),
    restart: spec?.template?.metadata?.annotations?.[ANNOTATIONS.restart],
  };
}
