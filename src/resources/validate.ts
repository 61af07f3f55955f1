import { z } from 'zod';
import { type Definition, definitionOf } from './definitions.ts';
import { issueLines } from './kube/field-path.ts';
import type { KubeObject } from './kube/object.ts';
import { isImmutable } from './kube/rule.ts';

/** What the API server would make of an object: stored as `object`, or refused for `errors`. */
export interface Admission {
  /** Unknown fields and nulls of spec and status pruned, defaults filled in. Only meaningful without errors. */
  readonly object: KubeObject;
  /** One line a mistake, beginning with the path of the field. */
  readonly errors: readonly string[];
}

/**
 * Everything wrong with an object of one of the kinds of sless, by the rules that the API server runs from its CRD: schema, CEL
 * and name. With `previous`, as an update of that object. Objects of other kinds have nothing wrong.
 */
export function validateObject(kind: string, object: unknown, previous?: unknown): string[] {
  const definition = definitionOf(kind);
  if (definition === undefined) return [];
  const record = (object ?? {}) as Record<string, unknown>;
  return [...nameErrors(definition, record), ...specErrors(definition, record.spec, specOf(previous))];
}

/** The object as the API server would store it: see `Admission`. The input is left alone. */
export function admitObject(object: KubeObject, previous?: KubeObject): Admission {
  const definition = definitionOf(object.kind);
  if (definition === undefined) return { object, errors: [] };
  const errors = [
    ...nameErrors(definition, object),
    ...specErrors(definition, object.spec, specOf(previous)),
    ...statusErrors(definition, object.status),
  ];
  const spec = definition.spec.safeParse(withoutNulls(object.spec));
  const status = definition.status.safeParse(withoutNulls(object.status));
  return {
    object: {
      ...object,
      ...(spec.success ? { spec: spec.data } : {}),
      ...(status.success ? { status: status.data } : {}),
    },
    errors,
  };
}

const specOf = (object: unknown): unknown => (object as Record<string, unknown> | undefined)?.spec;

function nameErrors(definition: Definition, object: Readonly<Record<string, unknown>>): string[] {
  const name = (object.metadata as { name?: unknown } | undefined)?.name;
  return typeof name === 'string' && definition.nameRule.holds(name) ? [] : [definition.nameRule.message];
}

function specErrors(definition: Definition, spec: unknown, previous: unknown): string[] {
  const parsed = definition.spec.safeParse(withoutNulls(spec));
  if (!parsed.success) return issueLines('spec', parsed.error);
  return previous === undefined ? [] : changedImmutables(definition.spec, parsed.data, previous);
}

function statusErrors(definition: Definition, status: unknown): string[] {
  const parsed = definition.status.safeParse(withoutNulls(status) ?? {});
  return parsed.success ? [] : issueLines('status', parsed.error);
}

/** The twin of the transition rules `self == oldSelf`. */
function changedImmutables(schema: z.ZodType, spec: unknown, previous: unknown): string[] {
  if (!(schema instanceof z.ZodObject)) return [];
  const now = spec as Record<string, unknown>;
  const before = previous as Record<string, unknown>;
  return Object.entries(schema.shape as Record<string, z.ZodType>)
    .filter(([name, field]) => isImmutable(field) && now[name] !== before[name])
    .map(([name]) => `spec.${name}: cannot be changed`);
}

/** The API server drops a null where the schema does not allow one, and then fills in the default. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([, member]) => member !== null);
  return Object.fromEntries(kept.map(([name, member]) => [name, withoutNulls(member)]));
}
