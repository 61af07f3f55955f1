import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import fc from 'fast-check';
import { parse } from 'yaml';

/** What of the schemas of CRDs a generator looks at. */
interface Schema {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema;
  readonly enum?: readonly unknown[];
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxItems?: number;
  readonly 'x-kubernetes-int-or-string'?: boolean;
}

/** Words that some field of ours takes: chance alone never finds a schedule. */
const WORDS = [
  ...[
    'hello',
    'handler.handle',
    'python3.11',
    'nodejs20',
    'fn-a',
    'orders',
    'UTC',
    'Europe/Berlin',
    '* * * * *',
  ],
  ...[
    '100m',
    '1Gi',
    '{"a":1}',
    'contexts/team/hello/v1.tar.gz',
    'sless',
    'True',
    '2026-01-01T00:00:00Z',
    '{',
    '',
  ],
];

/** What belongs to each type of Trigger; what is of another type is refused, so that chance alone finds hardly one. */
const OF_TYPE: Readonly<Record<string, readonly string[]>> = {
  http: [],
  cron: ['schedule', 'timeZone', 'payload', 'concurrencyPolicy'],
  event: ['queue', 'prefetch', 'maxAttempts', 'deadLetterQueue', 'brokerSecret'],
};
const OF_ALL = ['type', 'functionRef', 'enabled'];

function fitted(spec: unknown): unknown {
  const { type } = spec as { readonly type?: string };
  const own = OF_TYPE[type ?? ''];
  if (own === undefined) return spec;
  return Object.fromEntries(
    Object.entries(spec as object).filter(([name]) => OF_ALL.includes(name) || own.includes(name)),
  );
}

/** Spec and status of the CRD of a kind, as generated. */
function partsOf(plural: string): { readonly spec: Schema; readonly status: Schema } {
  const file = resolve(import.meta.dirname, `../../crds/${plural}.yaml`);
  const [version] = parse(readFileSync(file, 'utf8')).spec.versions;
  return version.schema.openAPIV3Schema.properties;
}

/** Objects by the schema of a kind: most of them well formed, whether or not a rule beside the schema takes them. */
export function anyObject(kind: { readonly kind: string; readonly plural: string }): fc.Arbitrary<object> {
  const { spec, status } = partsOf(kind.plural);
  const text = fc.oneof(fc.constantFrom('', 'a'), fc.string({ maxLength: 8 }));
  const metadata = fc.record({
    name: fc.constant('hello'),
    namespace: fc.constant('team'),
    uid: fc.constant('uid-1'),
    generation: fc.nat(9),
    annotations: fc.dictionary(
      fc.constantFrom('sless.dev/rebuild', 'sless.dev/restart', 'sless.dev/finished-run', 'sless.dev/x'),
      text,
    ),
    labels: fc.dictionary(fc.constantFrom('sless.dev/function', 'a'), text),
  });
  return fc.record({
    apiVersion: fc.constant('sless.dev/v1alpha1'),
    kind: fc.constant(kind.kind),
    metadata,
    spec: fc.oneof({ weight: 9, arbitrary: anyOf(spec).map(fitted) }, { weight: 1, arbitrary: anyOf(spec) }),
    status: fc.option(anyOf(status), { nil: undefined }),
  });
}

function anyOf(schema: Schema): fc.Arbitrary<unknown> {
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  switch (schema.type) {
    case 'object':
      return objectOf(schema);
    case 'array':
      return fc.array(anyOf(schema.items ?? {}), { maxLength: Math.min(schema.maxItems ?? 3, 3) });
    case 'boolean':
      return fc.boolean();
    case 'integer':
    case 'number':
      return numberOf(schema);
    default:
      return textOf(schema);
  }
}

function objectOf({ properties, required = [], additionalProperties }: Schema): fc.Arbitrary<unknown> {
  if (properties === undefined) {
    const value = typeof additionalProperties === 'object' ? anyOf(additionalProperties) : fc.jsonValue();
    return fc.dictionary(
      fc.oneof(fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_]{0,6}$/), fc.string({ maxLength: 5 })),
      value,
      {
        maxKeys: 4,
      },
    );
  }
  const fields = Object.fromEntries(Object.entries(properties).map(([name, each]) => [name, anyOf(each)]));
  return fc.record(fields, { requiredKeys: required.filter((name) => name in fields) });
}

function numberOf({ minimum = -5, maximum = 2 ** 31 }: Schema): fc.Arbitrary<number> {
  return fc.oneof(
    fc.constantFrom(minimum, maximum),
    fc.integer({ min: minimum, max: Math.min(maximum, minimum + 1000) }),
  );
}

function textOf({ pattern }: Schema): fc.Arbitrary<string> {
  const words = fc.constantFrom(...WORDS);
  const any = fc.string({ unit: 'binary', maxLength: 10 });
  if (pattern === undefined) return fc.oneof({ weight: 3, arbitrary: words }, { weight: 1, arbitrary: any });
  const fitting = WORDS.filter((word) => new RegExp(pattern, 'u').test(word));
  return fitting.length === 0 ? fc.stringMatching(new RegExp(pattern)) : fc.constantFrom(...fitting);
}
