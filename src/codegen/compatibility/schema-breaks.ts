import { isDeepStrictEqual } from 'node:util';
import { type ApiDocument, nameOf, type Schema } from './document.ts';

/** Who sends what the schema is of: what a client sends may not be narrowed, what it is answered may not be loosened. */
export type Direction = 'request' | 'answer';

export interface SchemaComparison {
  readonly direction: Direction;
  readonly before: ApiDocument;
  readonly after: ApiDocument;
  /** Told of each break once: where, and what it is. */
  readonly report: (path: string, what: string) => void;
  /** Components that were looked at already. */
  readonly seen: Set<string>;
}

type Rule = (before: Schema, after: Schema) => string | false;

const MAXIMA = ['maxLength', 'maxItems', 'maxProperties', 'maximum'] as const;
const MINIMA = ['minLength', 'minItems', 'minProperties', 'minimum'] as const;

const sameType: Rule = (before, after) =>
  (before.type !== after.type || before.format !== after.format) &&
  `was ${kindOf(before)} and is ${kindOf(after)}`;

const kindOf = ({ type = 'anything', format }: Schema): string =>
  format === undefined ? type : `${type} (${format})`;

/** What was good to send must stay so, and mean the same. */
const OF_REQUESTS: readonly Rule[] = [
  sameType,
  (before, after) => before.nullable === true && after.nullable !== true && 'may not be null any more',
  (before, after) =>
    after.pattern !== undefined && after.pattern !== before.pattern && `must match ${after.pattern} now`,
  (before, after) => {
    const lost = (before.enum ?? []).filter((value) => after.enum?.includes(value) === false);
    return lost.length > 0 && `may not be ${lost.map((value) => JSON.stringify(value)).join(', ')} any more`;
  },
  (before, after) =>
    before.enum === undefined && after.enum !== undefined && 'takes certain values alone now',
  (before, after) =>
    !isDeepStrictEqual(before.default, after.default) &&
    `means ${JSON.stringify(after.default)} where it is left out, and meant ${JSON.stringify(before.default)}`,
  (before, after) =>
    before.additionalProperties !== false &&
    after.additionalProperties === false &&
    'takes no other fields any more',
  ...MAXIMA.map(
    (bound): Rule =>
      (before, after) =>
        (after[bound] ?? Infinity) < (before[bound] ?? Infinity) && `has a lower ${bound}: ${after[bound]}`,
  ),
  ...MINIMA.map(
    (bound): Rule =>
      (before, after) =>
        (after[bound] ?? -Infinity) > (before[bound] ?? -Infinity) &&
        `has a higher ${bound}: ${after[bound]}`,
  ),
];

/** What was promised must still come. More values of an enum are no break: clients pass over what they do not know. */
const OF_ANSWERS: readonly Rule[] = [
  sameType,
  (before, after) => before.nullable !== true && after.nullable === true && 'may be null now',
  (before, after) => before.enum !== undefined && after.enum === undefined && 'may be anything now',
];

/** Reports every break between two schemas and what they are made of. */
export function compareSchemas(of: SchemaComparison, path: string, before: Schema, after: Schema): void {
  if (before.$ref !== undefined) {
    const name = nameOf(before.$ref);
    if (of.seen.has(name)) return;
    of.seen.add(name);
    compareSchemas(of, name, resolved(of.before, before), resolved(of.after, after));
    return;
  }
  const now = resolved(of.after, after);
  for (const rule of of.direction === 'request' ? OF_REQUESTS : OF_ANSWERS) {
    const broken = rule(before, now);
    if (broken !== false) of.report(path, broken);
  }
  compareFields(of, path, before, now);
  compareParts(of, path, before, now);
}

function resolved({ components }: ApiDocument, schema: Schema): Schema {
  return schema.$ref === undefined ? schema : (components?.schemas?.[nameOf(schema.$ref)] ?? {});
}

function compareFields(of: SchemaComparison, path: string, before: Schema, after: Schema): void {
  for (const [name, schema] of Object.entries(before.properties ?? {})) {
    const field = after.properties?.[name];
    if (field === undefined) of.report(`${path}.${name}`, 'is not there any more');
    else compareSchemas(of, `${path}.${name}`, schema, field);
  }
  const [had, has] = [before.required ?? [], after.required ?? []];
  if (of.direction === 'request')
    for (const name of has.filter((each) => !had.includes(each)))
      of.report(`${path}.${name}`, 'is required now');
  else
    for (const name of had.filter((each) => !has.includes(each) && after.properties?.[each] !== undefined))
      of.report(`${path}.${name}`, 'may be left out now');
}

function compareParts(of: SchemaComparison, path: string, before: Schema, after: Schema): void {
  if (before.items !== undefined && after.items !== undefined)
    compareSchemas(of, `${path}[]`, before.items, after.items);
  const [had, has] = [before.additionalProperties, after.additionalProperties];
  if (typeof had === 'object' && typeof has === 'object') compareSchemas(of, `${path}.*`, had, has);
  // Which of its members became which nobody can tell.
  for (const union of ['anyOf', 'oneOf', 'allOf'] as const)
    if (!isDeepStrictEqual(before[union], after[union])) of.report(path, `has another ${union}`);
}
