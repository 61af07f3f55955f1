import { z } from '@hono/zod-openapi';

/** A field that REST takes with the rules of the spec's own schema, absent or `null` for its default. */
type OptionalField<S extends z.ZodType> = z.ZodOptional<
  z.ZodNullable<z.ZodType<NonNullable<z.output<S>>, NonNullable<z.output<S>>>>
>;

/**
 * Makes such a field. The default is left to the spec's schema and only told of here, so that a patch can tell what
 * was named from what was not.
 */
export function optional<S extends z.ZodType>(schema: S): OptionalField<S> {
  const { inner, fallback } = withoutDefault(schema);
  const description = schema.description ?? inner.description;
  const field = inner
    .nullable()
    .optional()
    .meta({
      ...(isInteger(inner) ? { type: 'integer', format: 'int32' } : {}),
      ...(description === undefined ? {} : { description }),
      ...(fallback === undefined ? {} : { default: fallback }),
    });
  return field as unknown as OptionalField<S>; // what was unwrapped above, by type
}

/** OpenAPI's word for what zod calls int32. */
export function isInteger(schema: z.ZodType): boolean {
  return schema instanceof z.ZodNumber && schema.isInt;
}

function withoutDefault(schema: z.ZodType): { inner: z.ZodType; fallback?: unknown } {
  if (schema instanceof z.ZodOptional) return { inner: schema.unwrap() as z.ZodType };
  if (!(schema instanceof z.ZodDefault)) return { inner: schema };
  return { inner: schema.unwrap() as z.ZodType, fallback: schema.def.defaultValue };
}
