/** What `npm run test:cluster` is told about the cluster and this machine. */
export interface ClusterEnvironment {
  readonly kubeconfig: string;
  /** The registry, by a name that means the same here and in pods: `host:port`. */
  readonly registryHost: string | undefined;
  /** The registry speaks plain HTTP. */
  readonly registryInsecure: boolean;
  /** The address at which pods reach this machine. */
  readonly hostIp: string | undefined;
  /** A real Metacontroller's binary; without it our own sync loop drives the hooks. */
  readonly metacontroller: string | undefined;
  readonly kanikoImage: string | undefined;
  /** The folder in which the requests that a driver makes are kept, as fixtures for the unit tests. */
  readonly recordHooks: string | undefined;
  /** Long versions of the tests. */
  readonly soak: boolean;
}

/** The environment; `undefined`, said aloud, where there is no cluster. Nothing else in test/cluster reads variables. */
export function clusterEnvironment(env = process.env): ClusterEnvironment | undefined {
  const text = (name: string) => env[name]?.trim() || undefined;
  const kubeconfig = text('KUBECONFIG');
  if (kubeconfig === undefined) {
    console.warn('SKIPPED: KUBECONFIG is not set, so nothing is tried on a real cluster');
    return undefined;
  }
  return {
    kubeconfig,
    registryHost: text('REGISTRY_HOST'),
    registryInsecure: text('REGISTRY_INSECURE') === 'true',
    hostIp: text('HOST_IP'),
    metacontroller: text('METACONTROLLER'),
    kanikoImage: text('KANIKO_IMAGE'),
    recordHooks: text('RECORD_HOOKS'),
    soak: text('SOAK') === '1',
  };
}
