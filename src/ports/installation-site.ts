/** A CustomResourceDefinition, as far as an installation depends on it. */
export interface DefinitionSight {
  /** The versions that are served. */
  readonly versions: readonly string[];
  readonly established: boolean;
  /** The fields of spec in the version that is stored. */
  readonly specFields: readonly string[];
}

/** A ServiceAccount. */
export interface Account {
  readonly namespace: string;
  readonly name: string;
}

/** One thing that somebody may do. */
export interface Right {
  /** Empty: the core group. */
  readonly group: string;
  /** With its subresource: `functions/status`. */
  readonly resource: string;
  readonly verb: string;
  /** Without it: to all objects. */
  readonly name?: string;
}

/** A pod, as far as it tells what runs in it. */
export interface PodSight {
  readonly image: string;
  readonly args: readonly string[];
  readonly ready: boolean;
}

/** The cluster as who installs sless looks at it. Errors are those of the `Cluster` port. */
export interface InstallationSite {
  /** Of Kubernetes. */
  version(): Promise<{ readonly major: number; readonly minor: number }>;
  /** By its name, such as `functions.sless.dev`; `undefined` when it is not there. */
  definition(name: string): Promise<DefinitionSight | undefined>;
  allows(account: Account, right: Right): Promise<boolean>;
  /** The pods that run as this account. */
  podsOf(account: Account): Promise<readonly PodSight[]>;
  /** Fails, in the words of the network, unless a GET is answered with 200 by a server that these authorities vouch for. */
  reach(url: string, authorities: string): Promise<void>;
}
