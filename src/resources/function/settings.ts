import type { RuntimeCatalogue } from '../../runtimes/catalogue.ts';

/** What a container is promised and may use; canonical or not, as Kubernetes quantities. */
export interface ResourceSettings {
  readonly requests: Readonly<Record<string, string>>;
  readonly limits: Readonly<Record<string, string>>;
}

/** How kaniko builds code with dependencies. */
export interface KanikoSettings {
  /** An image whose entrypoint is a kaniko executor. */
  readonly image: string;
  /** Whether the step that runs install scripts is kept from every credential; `direct` does all in one step that holds them. */
  readonly mode: 'isolated' | 'direct';
  /** The PersistentVolumeClaim in the tenant's namespace that keeps layers; for `isolated`. */
  readonly cacheClaim?: string;
  /** The Secret in the tenant's namespace with the object store's keys; for `direct`. */
  readonly storeSecret: string;
  readonly storeRegion: string;
}

/** How images of functions are made. */
export interface BuilderSettings {
  /** The image of sless itself; its commands bring the build context into the pod, and the image into the registry. */
  readonly slessImage: string;
  /** Root of the api's internal routes as pods reach it, such as `http://sless-api.sless-system.svc:8082`. */
  readonly contextUrl: string;
  /** Without it, functions with dependencies are `BuilderUnavailable`. */
  readonly kaniko?: KanikoSettings;
  /** The service account of build pods in the tenant's namespace. Without it: `default`. */
  readonly serviceAccount?: string;
  /** The Secret of type dockerconfigjson in the tenant's namespace with which the last step pushes. */
  readonly pushSecret?: string;
  /** The registry speaks plain HTTP or has a certificate that nobody knows. */
  readonly insecureRegistry: boolean;
  /** The certificate (PEM) that signs the registry's, where the world does not know it. */
  readonly registryCa?: string;
  readonly resources: ResourceSettings;
  /** Room for context and image, as a Kubernetes quantity. */
  readonly volumeSize: string;
}

/** What the hooks of Functions know of the installation. Frozen, and the same for every call. */
export interface FunctionSettings {
  readonly runtimes: RuntimeCatalogue;
  /** Host and port of the registry, as the nodes reach it. */
  readonly registry: string;
  /** Name of a function's image, with `{registry}`, `{namespace}`, `{name}` and `{tag}`. */
  readonly imageTemplate: string;
  /** Name of a runtime's image, with `{registry}`, `{image}` and `{version}`. */
  readonly runtimeImageTemplate: string;
  /** The bucket of the object store that holds build contexts. */
  readonly bucket: string;
  /** What a function's container gets where its spec says nothing. */
  readonly resources: ResourceSettings;
  /** The Secret of type dockerconfigjson in the tenant's namespace with which nodes pull. */
  readonly pullSecret?: string;
  readonly builder: BuilderSettings;
}

/** With dashes instead of the slash, the functions a-b/c and a/b-c would share one image. */
export const DEFAULT_IMAGE_TEMPLATE = '{registry}/sless/{namespace}/{name}:{tag}';
export const DEFAULT_RUNTIME_IMAGE_TEMPLATE = '{registry}/{image}:{version}';
