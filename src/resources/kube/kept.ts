import { withoutNulls, withoutUndefined } from './canonical.ts';
import { ANNOTATIONS } from './labels.ts';
import { annotationOf, type KubeObject } from './object.ts';

/** Metacontroller's own copy of what it last wrote; only its older way of applying leaves one. */
const LAST_APPLIED = 'metacontroller.k8s.io/last-applied-configuration';

/**
 * Annotations that others write, and that must not become the hook's. Metacontroller's own copy of the object would come to hold itself,
 * and grow at every sync.
 */
const OF_OTHERS: ReadonlySet<string> = new Set([LAST_APPLIED, ANNOTATIONS.report, ANNOTATIONS.consumerState]);

/**
 * A child exactly as it is, to be answered again: leaving it out of an answer would delete it. Where Metacontroller's copy
 * still holds, that is answered, and then nothing at all is written: not even the copy, and what others have added stays theirs.
 * Server-side apply writes who owns what, once, and changes nothing else.
 */
export function asObserved(child: KubeObject): KubeObject {
  return lastApplied(child) ?? observedContent(child);
}

function lastApplied(child: KubeObject): KubeObject | undefined {
  const copy = parsed(annotationOf(child, LAST_APPLIED));
  // Whoever may edit the child may write anything into it. `Partial`: so nothing is taken for granted.
  const { apiVersion, kind, metadata } = (copy ?? {}) as Partial<KubeObject>;
  const isItsOwn =
    apiVersion === child.apiVersion &&
    kind === child.kind &&
    metadata?.name === child.metadata.name &&
    metadata.namespace === child.metadata.namespace;
  return isItsOwn && isCarried(copy, child) ? (copy as KubeObject) : undefined;
}

function parsed(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

const isMap = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Whether a value holds all of another, be there more in its maps and its lists of named things. */
function isCarried(part: unknown, whole: unknown): boolean {
  if (isMap(part))
    return isMap(whole) && Object.entries(part).every(([key, value]) => isCarried(value, whole[key]));
  if (!Array.isArray(part)) return part !== null && part === whole;
  if (!Array.isArray(whole)) return false;
  const isNamed = (item: unknown): boolean => isMap(item) && typeof item.name === 'string';
  if ([...part, ...whole].every(isNamed))
    return part.every((item) =>
      isCarried(
        item,
        whole.find(({ name }) => name === item.name),
      ),
    );
  return part.length === whole.length && part.every((item, index) => isCarried(item, whole[index]));
}

function observedContent({ apiVersion, kind, metadata, status: _, ...content }: KubeObject): KubeObject {
  const { name, namespace, labels, annotations } = metadata;
  const ours = Object.entries(annotations ?? {}).filter(([key]) => !OF_OTHERS.has(key));
  const kept = withoutNulls({
    labels,
    annotations: ours.length === 0 ? undefined : Object.fromEntries(ours),
  });
  return {
    ...withoutNulls(content),
    apiVersion,
    kind,
    metadata: { name, ...withoutUndefined({ namespace, ...kept }) },
  };
}
