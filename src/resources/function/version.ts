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

/**
 * Which of several good builds of one key is meant: the one that answers this rebuild annotation, else the one that has taken calls. There are
 * several only while a rebuild has not served yet, so whoever takes the annotation back goes back with it.
 */
export function meantOf<Build extends Pick<HistoryEntry, 'rebuild' | 'served'>>(
  builds: readonly Build[],
  rebuild: string | undefined,
): Build | undefined {
  return (
    builds.find((build) => build.rebuild === rebuild) ??
    builds.find(({ served }) => served === true) ??
    builds[0]
  );
}

/** What a history is kept for. */
interface Kept {
  /** The version that is in it in any case, newest first. */
  readonly version: Version | undefined;
  /** The version whose pods take calls, or took them last: however many came after it, be they of its own key, it stays in it. */
  readonly serving: Serving | undefined;
}

export type Serving = NonNullable<FunctionStatus['serving']>;

const isSame = (entry: Serving, other: Serving | undefined): boolean =>
  entry.key === other?.key && entry.image === other.image;

/**
 * The history with these versions in it, at most ten. One that is in it already, such as after a rollback, stays where it
 * is.
 */
export function withVersions(history: readonly HistoryEntry[], { version, serving }: Kept): HistoryEntry[] {
  const entries = version === undefined ? history : withVersion(history, version, serving);
  const isServing = (entry: HistoryEntry): boolean => isSame(entry, serving);
  const marked = entries.map((entry) => (isServing(entry) ? { ...entry, served: true } : entry));
  const beyond = marked.slice(MAX_HISTORY).find(isServing);
  return beyond === undefined ? marked.slice(0, MAX_HISTORY) : [...marked.slice(0, MAX_HISTORY - 1), beyond];
}

/** One entry a key; but the build that serves gives way to another one of its key only once that serves. */
function withVersion(
  history: readonly HistoryEntry[],
  version: Version,
  serving: Serving | undefined,
): readonly HistoryEntry[] {
  const kept = history.filter(
    (entry) => entry.key !== version.key || isSame(entry, version) || isSame(entry, serving),
  );
  if (kept.some((entry) => isSame(entry, version))) return kept;
  const { key, image, runtimeImage, builtAt, rebuild } = version;
  return [{ key, image, runtimeImage, builtAt, ...(rebuild === undefined ? {} : { rebuild }) }, ...kept];
}
