import { withoutNulls, withoutUndefined } from './canonical.ts';
import { ANNOTATIONS } from './labels.ts';
import type { KubeObject } from './object.ts';

/**
 * Annotations that others write, and that must not become the hook's. Metacontroller's own copy of the object would come to hold itself,
 * and grow at every sync.
 */
const OF_OTHERS: ReadonlySet<string> = new Set([
  'metacontroller.k8s.io/last-applied-configuration',
  ANNOTATIONS.report,
  ANNOTATIONS.consumerState,
]);

/** A child exactly as it is, to be answered again: leaving it out of an answer would delete it. */
export function asObserved({ apiVersion, kind, metadata, status: _, ...content }: KubeObject): KubeObject {
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
