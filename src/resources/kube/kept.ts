import { withoutNulls, withoutUndefined } from './canonical.ts';
import { ANNOTATIONS } from './labels.ts';
import { appliedByController, ownedPart } from './managed-fields.ts';
import { annotationOf, type KubeObject } from './object.ts';

/** Metacontroller's own copy of what it last wrote; only its older way of applying leaves one. */
const LAST_APPLIED = 'metacontroller.k8s.io/last-applied-configuration';

/**
 * Annotations that others write, and that must not become the hook's. Metacontroller's own copy of the object would come to hold itself,
 * and grow at every sync.
 */
const OF_OTHERS: ReadonlySet<string> = new Set([LAST_APPLIED, ANNOTATIONS.report, ANNOTATIONS.consumerState]);

/**
 * A child exactly as it is, to be answered again: leaving it out of an answer would delete it. Of what Metacontroller wrote, the present values:
 * while nobody changed them, nothing at all is written, not even who owns what; and what others have added stays theirs. What it wrote is said by
 * its own copy or, under server-side apply, by the API server. Where neither says so, all of the child.
 */
export function asObserved(child: KubeObject): KubeObject {
  const content = observedContent(child);
  const copy = lastApplied(child);
  if (copy !== undefined) return within(content, copy) as KubeObject;
  const applied = appliedByController(child);
  return applied === undefined ? content : ownedContent(content, applied);
}

/** What an object is called and of which kind it is are no fields that anyone owns. */
function ownedContent(content: KubeObject, applied: Readonly<Record<string, unknown>>): KubeObject {
  const { apiVersion, kind, metadata } = content;
  const { name, namespace } = metadata;
  const owned = ownedPart(content, applied) as Partial<KubeObject>;
  const named = { name, ...withoutUndefined({ namespace }) };
  return { ...owned, apiVersion, kind, metadata: { ...named, ...owned.metadata } };
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
  return isItsOwn ? (copy as KubeObject) : undefined;
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

/** Of a value what another one has too, in its order: of maps the same members, of lists of named things the same names. */
function within(value: unknown, shape: unknown): unknown {
  if (isMap(value) && isMap(shape)) {
    const names = Object.keys(shape).filter((name) => Object.hasOwn(value, name));
    return Object.fromEntries(names.map((name) => [name, within(value[name], shape[name])]));
  }
  if (!Array.isArray(value) || !Array.isArray(shape)) return value;
  const isNamed = (item: unknown): boolean => isMap(item) && typeof item.name === 'string';
  if ([...value, ...shape].every(isNamed))
    return shape.flatMap((item) => {
      const found = value.find(({ name }) => name === item.name);
      return found === undefined ? [] : [within(found, item)];
    });
  return value.length === shape.length ? value.map((item, index) => within(item, shape[index])) : value;
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
