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
      ...integerMeta(inner),
      ...(description === undefined ? {} : { description }),
      ...(fallback === undefined ? {} : { default: fallback }),
    });
  return field as unknown as OptionalField<S>; // what was unwrapped above, by type
}

const INT32 = 2_147_483_647;

/** What zod calls an integer, in OpenAPI's words; a type that is named by hand comes without the rest, so it is said here. */
function integerMeta(schema: z.ZodType): Record<string, unknown> {
  if (!(schema instanceof z.ZodNumber && schema.isInt)) return {};
  const { minValue, maxValue } = schema;
  return {
    type: 'integer',
    // zod's own word for an integer that is bound by nothing but what JavaScript can hold.
    format: schema.format === 'safeint' ? 'int64' : 'int32',
    nullable: true,
    ...(minValue === null || minValue < -INT32 ? {} : { minimum: minValue }),
    ...(maxValue === null || maxValue >= INT32 ? {} : { maximum: maxValue }),
  };
}

function withoutDefault(schema: z.ZodType): { inner: z.ZodType; fallback?: unknown } {
  if (schema instanceof z.ZodOptional) return { inner: schema.unwrap() as z.ZodType };
  if (!(schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault)) return { inner: schema };
  return { inner: schema.unwrap() as z.ZodType, fallback: schema.def.defaultValue };
}
