import type { KubeObject } from '../kube/object.ts';
import type { ContainerResources } from './container-resources.ts';
import { containerResources } from './container-resources.ts';
import type { FunctionSpec } from './schema.ts';
import type { FunctionSettings } from './settings.ts';
import type { Version } from './version.ts';

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
    env: { ...spec.env },
    secrets: spec.secrets,
    resources: containerResources(spec.resources, settings.resources),
    timeoutSeconds: spec.timeoutSeconds,
    concurrency: spec.concurrency,
    restart,
  };
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
export const RESERVED_ENV = /^(SLESS_.*|PORT)$/;

/** The container of a function's pods. */
export const SERVER_CONTAINER = 'function';
