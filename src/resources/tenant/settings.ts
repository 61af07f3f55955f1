import type { Peer } from './peers.ts';

type Amounts = Readonly<Record<string, string>>;

/** What the hook of tenants' namespaces knows of the installation. Frozen, and the same for every call. */
export interface TenantSettings {
  /** Where sless itself runs. */
  readonly systemNamespace: string;
  /** The port of the api's pods for build pods. */
  readonly internalPort: number;
  /** The service account of the api, in the system namespace. */
  readonly apiServiceAccount: string;
  /** The one of the dispatcher, in the same namespace. */
  readonly dispatcherServiceAccount: string;
  readonly buildServiceAccount: string;
  /** The Secret with which nodes pull the images of builds; see `FunctionSettings`. */
  readonly pullSecret?: string;
  /** Whether the api has Secrets to bring into every tenant's namespace. */
  readonly copiesSecrets: boolean;
  readonly network: TenantNetwork;
  /** The hard limits of a namespace; none at all where it is empty. */
  readonly quota: Amounts;
  readonly containers: ContainerRange;
}

/** Where pods may go beside the internet and, for functions, their own namespace. */
export interface TenantNetwork {
  readonly dns: readonly Peer[];
  /** What of all addresses is not the internet: pods, services, nodes, metadata. CIDR blocks of both families. */
  readonly notInternet: readonly string[];
  readonly functions: readonly Peer[];
  readonly builds: readonly Peer[];
}

/** What a container gets that says nothing itself, and what none may pass. */
export interface ContainerRange {
  readonly requests: Amounts;
  readonly limits: Amounts;
  readonly max: Amounts;
}
