import { type ApiDocument, type ApiOperation, type Content, nameOf, type Parameter } from './document.ts';
import { compareSchemas, type Direction, type SchemaComparison } from './schema-breaks.ts';

/**
 * What breaks clients that were made for `before` when they meet `after`, a sentence each, in order. Nothing that is only
 * added is among it.
 */
export function breaksBetween(before: ApiDocument, after: ApiDocument): string[] {
  const found = new Set<string>();
  const seen = { request: new Set<string>(), answer: new Set<string>() };
  const within = (direction: Direction): SchemaComparison => ({
    direction,
    before,
    after,
    report: (path, what) => found.add(`${direction} ${path}: ${what}`),
    seen: seen[direction],
  });
  for (const [path, methods] of Object.entries(before.paths))
    for (const [method, operation] of Object.entries(methods)) {
      const title = operation.operationId ?? `${method} ${path}`;
      const now = after.paths[path]?.[method];
      if (now === undefined) found.add(`${title}: is not there any more`);
      else
        compareOperations(
          { title, within, report: (what) => found.add(`${title}: ${what}`) },
          operation,
          now,
        );
    }
  return [...found].sort();
}

interface OperationComparison {
  readonly title: string;
  readonly within: (direction: Direction) => SchemaComparison;
  readonly report: (what: string) => void;
}

function compareOperations(of: OperationComparison, before: ApiOperation, after: ApiOperation): void {
  // Generated clients call it by that name.
  if (before.operationId !== after.operationId) of.report(`is called ${after.operationId} now`);
  compareParameters(of, before, after);
  compareBodies(of, before.requestBody, after.requestBody);
  for (const [status, { content }] of Object.entries(before.responses)) {
    if (!/^2/.test(status)) continue;
    const now = after.responses[status];
    if (now === undefined) of.report(`does not answer ${status} any more`);
    else compareContent(of, 'answer', content, now.content);
  }
  const error = (operation: ApiOperation) => operation.responses['401']?.content;
  compareContent(of, 'answer', error(before), error(after));
}

function compareParameters(of: OperationComparison, before: ApiOperation, after: ApiOperation): void {
  const { before: old, after: now } = of.within('request');
  const [had, has] = [parametersOf(old, before), parametersOf(now, after)];
  for (const [key, parameter] of had) {
    const kept = has.get(key);
    if (kept === undefined) of.report(`takes no ${key} any more`);
    else if (parameter.schema !== undefined && kept.schema !== undefined)
      compareSchemas(of.within('request'), `${of.title} ${key}`, parameter.schema, kept.schema);
  }
  for (const [key, { required = false }] of has)
    if (required && had.get(key)?.required !== true) of.report(`requires ${key} now`);
}

function parametersOf(
  { components }: ApiDocument,
  { parameters = [] }: ApiOperation,
): Map<string, Parameter> {
  const all = parameters.map((parameter) =>
    parameter.$ref === undefined
      ? parameter
      : (components?.parameters?.[nameOf(parameter.$ref)] ?? parameter),
  );
  return new Map(all.map((parameter) => [`${parameter.name} in ${parameter.in}`, parameter]));
}

type Body = ApiOperation['requestBody'];

function compareBodies(of: OperationComparison, before: Body, after: Body): void {
  if (after?.required === true && before?.required !== true) of.report('requires a body now');
  compareContent(of, 'request', before?.content, after?.content);
}

function compareContent(
  of: OperationComparison,
  direction: Direction,
  before: Content = {},
  after: Content = {},
): void {
  for (const [type, { schema }] of Object.entries(before)) {
    const now = after[type];
    if (now === undefined) of.report(`has no ${direction} of ${type} any more`);
    else if (schema !== undefined && now.schema !== undefined)
      compareSchemas(of.within(direction), `${of.title} ${type}`, schema, now.schema);
  }
}
