import { ANNOTATIONS } from '../kube/labels.ts';
import { annotationOf, type KubeObject } from '../kube/object.ts';
import { isSameRuntime } from './image.ts';
import type { FunctionStatus, HistoryEntry } from './schema.ts';

/** A good build: code, and the image that it became. */
export interface Version {
  /** The s3Key. */
  readonly key: string;
  /** By digest where it is known. */
  readonly image: string;
  readonly runtimeImage: string;
  /** RFC 3339. */
  readonly builtAt: string;
  /** The rebuild annotation that it answers. */
  readonly rebuild: string | undefined;
}

const MAX_HISTORY = 10;

/**
 * Whether a good build is one that a spec of this runtime can take: it stands on an image of that runtime, in whatever release. The
 * same code upon another runtime's image is another build. `runtimeImage` needs neither registry nor tag.
 */
export function isForRuntime(
  { runtimeImage: base }: Pick<Version, 'runtimeImage'>,
  runtimeImage: string,
): boolean {
  return isSameRuntime(base, runtimeImage);
}

/** The version that status calls deployed; `undefined` when status is new or was lost. */
export function statusVersion(status: FunctionStatus): Version | undefined {
  const { image, builtKey, runtimeImage, lastBuiltAt, builtRebuild } = status;
  if (image === undefined || builtKey === undefined || runtimeImage === undefined) return undefined;
  return { key: builtKey, image, runtimeImage, builtAt: lastBuiltAt ?? '', rebuild: builtRebuild };
}

/** The version that a Deployment carries in its annotations, which backups keep when they leave out the status. */
export function deployedVersion(deployment: KubeObject | undefined): Version | undefined {
  const annotation = (name: string): string | undefined => annotationOf(deployment, name);
  const image = annotation(ANNOTATIONS.image);
  const key = annotation(ANNOTATIONS.builtKey);
  const runtimeImage = annotation(ANNOTATIONS.runtimeImage);
  if (image === undefined || key === undefined || runtimeImage === undefined) return undefined;
  const builtAt = annotation(ANNOTATIONS.builtAt) ?? '';
  return { key, image, runtimeImage, builtAt, rebuild: annotation(ANNOTATIONS.builtRebuild) };
}

/** What `deployedVersion` reads. */
export function versionAnnotations(version: Version): Record<string, string> {
  return {
    ...(version.builtAt === '' ? {} : { [ANNOTATIONS.builtAt]: version.builtAt }),
    [ANNOTATIONS.builtKey]: version.key,
    ...(version.rebuild === undefined ? {} : { [ANNOTATIONS.builtRebuild]: version.rebuild }),
    [ANNOTATIONS.image]: version.image,
    [ANNOTATIONS.runtimeImage]: version.runtimeImage,
  };
}

export function fromHistory(entry: HistoryEntry): Version {
  const { key, image, runtimeImage, builtAt, rebuild } = entry;
  return { key, image, runtimeImage, builtAt, rebuild };
}

/** What a history is kept for. */
interface Kept {
  /** The version that is in it in any case, newest first, one entry a key. */
  readonly version: Version | undefined;
  /** The version whose pods take calls, or took them last: however many came after it, it stays in it. */
  readonly serving: Serving | undefined;
}

export type Serving = NonNullable<FunctionStatus['serving']>;

/**
 * The history with these versions in it, at most ten. One that is in it already, such as after a rollback, stays where it
 * is.
 */
export function withVersions(history: readonly HistoryEntry[], { version, serving }: Kept): HistoryEntry[] {
  const entries = version === undefined ? history : withVersion(history, version);
  const isServing = ({ key, image }: HistoryEntry): boolean =>
    key === serving?.key && image === serving.image;
  const marked = entries.map((entry) => (isServing(entry) ? { ...entry, served: true } : entry));
  const beyond = marked.slice(MAX_HISTORY).find(isServing);
  return beyond === undefined ? marked.slice(0, MAX_HISTORY) : [...marked.slice(0, MAX_HISTORY - 1), beyond];
}

function withVersion(history: readonly HistoryEntry[], version: Version): readonly HistoryEntry[] {
  if (history.some(({ key, image }) => key === version.key && image === version.image)) return history;
  const { key, image, runtimeImage, builtAt, rebuild } = version;
  const entry = { key, image, runtimeImage, builtAt, ...(rebuild === undefined ? {} : { rebuild }) };
  return [entry, ...history.filter((other) => other.key !== key)];
}
