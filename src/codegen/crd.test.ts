import { expect, test } from 'vitest';
import { z } from 'zod';
import { DEFINITIONS } from '../resources/definitions.ts';
import { customResourceDefinition } from './crd.ts';

interface Schema {
  readonly type?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly additionalProperties?: Schema | boolean;
  readonly [keyword: string]: unknown;
}

const rootOf = (definition: (typeof DEFINITIONS)[number]): Schema => {
  const crd = customResourceDefinition(definition) as {
    spec: { versions: { schema: { openAPIV3Schema: Schema } }[] };
  };
  return crd.spec.versions[0]?.schema.openAPIV3Schema ?? {};
};

/** Every schema within a schema, with its path. */
function walk(schema: Schema, path: string): [string, Schema][] {
  const inner = Object.entries(schema.properties ?? {}).flatMap(([name, next]) =>
    walk(next, `${path}.${name}`),
  );
  const items = schema.items === undefined ? [] : walk(schema.items, `${path}[]`);
  const values =
    typeof schema.additionalProperties === 'object' ? walk(schema.additionalProperties, `${path}{}`) : [];
  return [[path, schema], ...inner, ...items, ...values];
}

const ALLOWED = new Set(
  'type description properties required items additionalProperties default enum format pattern minimum maximum minLength maxLength minItems maxItems maxProperties x-kubernetes-validations x-kubernetes-list-type x-kubernetes-list-map-keys'.split(
    ' ',
  ),
);

const schemas = DEFINITIONS.flatMap((definition) => walk(rootOf(definition), definition.kind.kind));

test('schemas are structural: every node has a type, and no keyword that a CRD may not have', () => {
  for (const [path, schema] of schemas) {
    expect(schema.type, path).toBeTypeOf('string');
    expect(
      Object.keys(schema).filter((keyword) => !ALLOWED.has(keyword)),
      path,
    ).toEqual([]);
    expect(schema.additionalProperties, path).not.toBe(false);
  }
});

test('every field is described', () => {
  const bare = schemas.filter(
    ([path, { description }]) =>
      !path.endsWith('{}') &&
      !/(secrets|conditions|history)\[\]$/.test(path) &&
      !path.endsWith('.metadata') &&
      !description,
  );
  expect(bare.map(([path]) => path)).toEqual([]);
});

test('whatever users write is bounded, so that rules have a cost', () => {
  const open = schemas.filter(([path, schema]) => {
    if (!/^\w+\.spec\b/.test(path)) return false;
    if (schema.type === 'string') return schema.maxLength === undefined && schema.enum === undefined;
    if (schema.type === 'array') return schema.maxItems === undefined;
    return schema.additionalProperties !== undefined && schema.maxProperties === undefined;
  });
  expect(open.map(([path]) => path)).toEqual([]);
});

/** The refinements of a schema and of all schemas in it, as zod keeps them. */
function refinements(schema: z.ZodType): { node: z.ZodType; count: number }[] {
  const { def } = schema._zod;
  const count = ((def as { checks?: { _zod: { def: { check: string } } }[] }).checks ?? []).filter(
    (check) => check._zod.def.check === 'custom',
  ).length;
  const children: z.ZodType[] = [];
  const inner = def as { innerType?: z.ZodType; element?: z.ZodType; valueType?: z.ZodType };
  if (inner.innerType !== undefined) children.push(inner.innerType);
  if (inner.element !== undefined) children.push(inner.element);
  if (inner.valueType !== undefined) children.push(inner.valueType);
  if (schema instanceof z.ZodObject) children.push(...(Object.values(schema.shape) as z.ZodType[]));
  return [{ node: schema, count }, ...children.flatMap(refinements)];
}

test('every refinement of zod has a twin that the API server runs', () => {
  for (const { spec, kind } of DEFINITIONS) {
    for (const { node, count } of refinements(spec)) {
      if (count === 0) continue;
      const meta = node.meta() ?? {};
      const rules = ((meta['x-kubernetes-validations'] as { rule: string }[]) ?? []).filter(
        ({ rule }) => !rule.includes('oldSelf'),
      );
      // As many bytes are at least as many characters: zod says such a mistake once.
      const isImplied = rules.some(({ rule }) => rule === `bytes(self).size() <= ${String(meta.maxLength)}`);
      const keywords = (isImplied ? ['maxProperties'] : ['maxLength', 'maxProperties']).filter(
        (keyword) => meta[keyword] !== undefined,
      );
      const isSet = meta['x-kubernetes-list-type'] === 'set' ? 1 : 0;
      expect(rules.length + keywords.length + isSet, `${kind.kind}: ${JSON.stringify(meta)}`).toBe(count);
    }
  }
});
