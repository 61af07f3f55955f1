import { stringify } from 'yaml';
import { z } from 'zod';
import { DEFINITIONS, type Definition, type PrinterColumn, UNSEEN_STATUS } from '../resources/definitions.ts';
import type { GeneratedFile } from './generator.ts';

/** A JSON schema on its way to a structural one. */
interface Schema {
  [keyword: string]: unknown;
}

const HEADER = '# Generated from src/resources/*/schema.ts by `npm run generate`. Do not edit.\n';

/** One file a kind: `crds/functions.yaml` and so on. */
export function crdFiles(): GeneratedFile[] {
  return DEFINITIONS.map((definition) => ({
    path: `crds/${definition.kind.plural}.yaml`,
    content:
      HEADER +
      stringify(customResourceDefinition(definition), { lineWidth: 0, aliasDuplicateObjects: false }),
  }));
}

/** The CustomResourceDefinition of a kind, as `apiextensions.k8s.io/v1`. */
export function customResourceDefinition(definition: Definition): object {
  const { kind, singular, shortNames } = definition;
  const [group, version] = kind.apiVersion.split('/');
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${kind.plural}.${group}` },
    spec: {
      group,
      names: {
        categories: ['sless'],
        kind: kind.kind,
        listKind: `${kind.kind}List`,
        plural: kind.plural,
        shortNames,
        singular,
      },
      scope: 'Namespaced',
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          subresources: { status: {} },
          additionalPrinterColumns: definition.columns.map(printerColumn),
          schema: { openAPIV3Schema: rootSchema(definition) },
        },
      ],
    },
  };
}

function printerColumn({ name, type, jsonPath, description, priority = 0 }: PrinterColumn): object {
  return { name, type, jsonPath, description, ...(priority === 0 ? {} : { priority }) };
}

function rootSchema({ kind, description, nameRule, spec, status }: Definition): object {
  const { rule, message } = nameRule;
  return {
    description,
    type: 'object',
    properties: {
      apiVersion: { description: 'The version of this schema: sless.dev/v1alpha1.', type: 'string' },
      kind: { description: 'What this object is.', type: 'string' },
      metadata: { type: 'object' },
      spec: { ...structural(spec), description: `What the ${kind.kind} shall be.` },
      status: {
        ...structural(status),
        description: `What the ${kind.kind} is. Written by sless alone.`,
        default: UNSEEN_STATUS,
      },
    },
    required: ['spec'],
    'x-kubernetes-validations': [{ rule, message }],
  };
}

/** The schema of what users write (`io: 'input'`: defaults make a field optional), in the dialect that CRDs allow. */
function structural(schema: z.ZodType): Schema {
  const { $schema: _, ...json } = z.toJSONSchema(schema, {
    io: 'input',
    override: ({ jsonSchema }) => restrict(jsonSchema),
  });
  return json;
}

const INT32_MIN = -(2 ** 31);
const INT32_MAX = 2 ** 31 - 1;

/** Takes out what the API server refuses or what only makes noise. Changes the schema in place, as zod's override asks. */
function restrict(schema: Schema): void {
  // Keys of maps cannot be described; a CEL rule holds them.
  delete schema.propertyNames;
  // Unknown fields are pruned, never refused, by a structural schema.
  if (schema.additionalProperties === false) delete schema.additionalProperties;
  if (schema.type === 'integer') restrictInteger(schema);
  describeBounds(schema);
}

/** `kubectl explain` shows descriptions alone, so bounds and default are told in words. */
function describeBounds(schema: Schema): void {
  const { description, minimum, maximum, default: value } = schema;
  if (typeof description !== 'string') return;
  const range =
    minimum === undefined
      ? []
      : [
          maximum === undefined || maximum === Number.MAX_SAFE_INTEGER
            ? `${minimum} or more`
            : `${minimum} to ${maximum}`,
        ];
  const hasValue = typeof value === 'number' || typeof value === 'string' || typeof value === 'boolean';
  const words = [...range, ...(hasValue ? [`${value} unless given`] : [])];
  if (words.length > 0) schema.description = `${description} (${words.join('; ')})`;
}

function restrictInteger(schema: Schema): void {
  const { minimum, maximum } = schema;
  const isInt32 = typeof maximum === 'number' && maximum <= INT32_MAX;
  schema.format ??= isInt32 ? 'int32' : 'int64';
  if (minimum === INT32_MIN || minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  if (maximum === INT32_MAX) delete schema.maximum;
}
