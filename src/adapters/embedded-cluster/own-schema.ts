import { z } from 'zod';
import { type Definition, definitionOf } from '../../resources/definitions.ts';
import { SLESS_API_VERSION } from '../../resources/kube/kinds.ts';
import { isJsonObject } from './merge-patch.ts';

/** The part of a JSON schema that says how objects are merged and read. */
export interface JsonSchema {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly additionalProperties?: JsonSchema | false;
  readonly items?: JsonSchema;
  readonly default?: unknown;
  readonly 'x-kubernetes-list-type'?: string;
  readonly 'x-kubernetes-list-map-keys'?: readonly string[];
}

const SCHEMAS = new Map<string, JsonSchema>();

/** The schema of a whole object of one of our own kinds, as its CRD says it; `undefined` for other kinds. */
export function ownSchema(of: {
  readonly apiVersion: string;
  readonly kind: string;
}): JsonSchema | undefined {
  const definition = of.apiVersion === SLESS_API_VERSION ? definitionOf(of.kind) : undefined;
  if (definition === undefined) return undefined;
  const known = SCHEMAS.get(of.kind) ?? schemaOf(definition);
  SCHEMAS.set(of.kind, known);
  return known;
}

function schemaOf({ spec, status }: Definition): JsonSchema {
  const text = { type: 'string' };
  // Zod says more than is read here, and nothing otherwise.
  const json = (schema: z.ZodType) => z.toJSONSchema(schema, { io: 'input' }) as JsonSchema;
  return {
    type: 'object',
    properties: { apiVersion: text, kind: text, metadata: {}, spec: json(spec), status: json(status) },
  };
}

/**
 * What keeps a value from being applied before any rule is asked: a field that the schema does not know, or a value of another type.
 * Unlike elsewhere, the API server prunes nothing here. One line a mistake.
 */
export function unreadable(value: unknown, schema: JsonSchema, path = ''): string[] {
  if (value === null || schema.type === undefined) return [];
  if (!TYPES[schema.type]?.(value)) return [`${path.slice(1)}: must be of type ${schema.type}`];
  if (Array.isArray(value))
    return value.flatMap((item, index) => unreadable(item, schema.items ?? {}, `${path}[${index}]`));
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([name, member]) => {
    const known = memberSchema(schema, name);
    return known
      ? unreadable(member, known, `${path}.${name}`)
      : [`${path.slice(1)}.${name}: is not a field`];
  });
}

/** JSON knows one sort of number; whether it is whole is a rule like any other. */
const isNumber = (value: unknown) => typeof value === 'number';
const TYPES: Readonly<Record<string, (value: unknown) => boolean>> = {
  object: isJsonObject,
  array: Array.isArray,
  string: (value) => typeof value === 'string',
  boolean: (value) => typeof value === 'boolean',
  integer: isNumber,
  number: isNumber,
};

function memberSchema(
  { properties, additionalProperties }: JsonSchema,
  name: string,
): JsonSchema | undefined {
  if (properties && Object.hasOwn(properties, name)) return properties[name];
  return additionalProperties || undefined;
}

/**
 * Nulls where the schema has no default to put in their place: one line each. An apply leaves them where they stand, unlike a create
 * or a patch.
 */
export function nullMistakes(value: unknown, schema: JsonSchema | undefined, path = ''): string[] {
  if (value === null)
    return schema?.default === undefined
      ? [`${path.slice(1)}: must be of type ${schema?.type}, not null`]
      : [];
  if (Array.isArray(value))
    return value.flatMap((item, index) => nullMistakes(item, schema?.items, `${path}[${index}]`));
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([name, member]) =>
    nullMistakes(member, schema && memberSchema(schema, name), `${path}.${name}`),
  );
}
