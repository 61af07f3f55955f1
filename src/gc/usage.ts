import { functionStatusSchema, type HistoryEntry } from '../resources/function/schema.ts';
import { deployedVersion, statusVersion, type Version } from '../resources/function/version.ts';
import type { KubeObject } from '../resources/kube/object.ts';

/** What must stay: whatever a Function, its history or something that runs speaks of. */
export interface Usage {
  /** Keys of build contexts. */
  readonly keys: ReadonlySet<string>;
  /** Images as they are named, by digest or by tag. */
  readonly images: ReadonlySet<string>;
}

/** What the cluster says of Functions. `workloads` are Deployments and Jobs: what runs is used, whoever still speaks of it. */
export interface Observed {
  readonly functions: readonly KubeObject[];
  readonly workloads: readonly KubeObject[];
}

/** What may not be thrown away. Deployments count by their annotations too: a status may be lost, and they are its copy. */
export function usageOf({ functions, workloads }: Observed): Usage {
  const keys = new Set<string>();
  const images = new Set<string>();
  const use = (version: Pick<Version | HistoryEntry, 'key' | 'image'> | undefined): void => {
    if (version === undefined) return;
    keys.add(version.key);
    images.add(version.image);
  };
  for (const object of functions) {
    const wanted = specKey(object);
    if (wanted !== undefined) keys.add(wanted);
    const status = functionStatusSchema.safeParse(object.status ?? {}).data;
    if (status === undefined) throw new UnreadableStatus(object);
    if (status.build !== undefined) keys.add(status.build.key);
    use(statusVersion(status));
    // In the history too, but for a status that an earlier release wrote.
    use(status.serving);
    for (const entry of status.history ?? []) use(entry);
  }
  for (const object of workloads) {
    use(deployedVersion(object));
    for (const image of imagesOf(object)) images.add(image);
  }
  return { keys, images };
}

/** Not knowing what a Function uses is no licence to throw it away. */
class UnreadableStatus extends Error {
  override readonly name = 'UnreadableStatus';

  constructor({ metadata }: KubeObject) {
    super(
      `the status of the Function ${metadata.namespace}/${metadata.name} cannot be read, so nothing is thrown away`,
    );
  }
}

function specKey({ spec }: KubeObject): string | undefined {
  const key = (spec as { readonly s3Key?: unknown } | undefined)?.s3Key;
  return typeof key === 'string' ? key : undefined;
}

interface PodTemplateOwner {
  readonly template?: {
    readonly spec?: {
      readonly containers?: readonly Container[];
      readonly initContainers?: readonly Container[];
    };
  };
}

interface Container {
  readonly image?: string;
}

function imagesOf({ spec }: KubeObject): string[] {
  const pod = (spec as PodTemplateOwner | undefined)?.template?.spec;
  return [...(pod?.containers ?? []), ...(pod?.initContainers ?? [])].flatMap(({ image }) => image ?? []);
}
