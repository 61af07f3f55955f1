import { Ajv, type ValidateFunction } from 'ajv';
import addFormats from 'ajv-formats';
import { document, type Json } from './document.ts';

const OF_OPENAPI = ['example', 'components', 'paths', 'info', 'openapi', 'servers', 'tags'];

/** As the document is, and with no field in any answer that it does not name. */
const [open, closed] = [compiler(document), compiler(withoutMore(document))];

function compiler(of: unknown): (schema: Json) => ValidateFunction {
  const ajv = new Ajv({ strict: true, strictTypes: false, strictRequired: false, allErrors: true });
  // Published as CommonJS: its types and what Node makes of it differ on where the function is.
  (addFormats as unknown as (to: Ajv) => void)(ajv);
  ajv.addVocabulary(OF_OPENAPI);
  ajv.addSchema(of as object, 'openapi.json');
  return (schema) =>
    ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/components', '"openapi.json#/components')));
}

function withoutMore(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value), (_, part) =>
    part?.type === 'object' && part.properties !== undefined && part.additionalProperties === undefined
      ? { ...part, additionalProperties: false }
      : part,
  );
}

/** What is wrong with a value, by the schema; nothing when it fits. */
export function mistakesIn(schema: Json, value: unknown): string[] {
  return mistakes(open(schema), value);
}

/** The same of an answer, in which a field that the schema does not name is a mistake as well. */
export function mistakesInAnswer(schema: Json, value: unknown): string[] {
  return mistakes(closed(withoutMore(schema) as Json), value);
}

function mistakes(validate: ValidateFunction, value: unknown): string[] {
  if (validate(value)) return [];
  return (validate.errors ?? []).map(({ instancePath, message, params }) =>
    `${instancePath} ${message} ${JSON.stringify(params)}`.trim(),
  );
}
