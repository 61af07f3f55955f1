import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openApiFile } from '../openapi.ts';
import { ACCEPTED_BREAKS } from './accepted-breaks.ts';
import { breaksBetween } from './breaks.ts';
import type { ApiDocument, Schema } from './document.ts';

const sent: Schema = {
  type: 'object',
  required: ['name'],
  additionalProperties: false,
  properties: {
    name: { type: 'string', maxLength: 40, minLength: 1 },
    kind: { type: 'string', enum: ['http', 'cron', null], nullable: true },
    count: { type: 'integer', format: 'int32', minimum: 0, maximum: 10, default: 1 },
    env: { type: 'object', maxProperties: 5, additionalProperties: { type: 'string' } },
    keys: { type: 'array', items: { type: 'string' } },
  },
};
const answered: Schema = {
  type: 'object',
  required: ['name', 'phase'],
  properties: {
    name: { type: 'string' },
    phase: { type: 'string', enum: ['Ready', 'Failed'] },
    url: { type: 'string', nullable: true },
    parts: { type: 'array', items: { $ref: '#/components/schemas/Part' } },
  },
};
const before: ApiDocument = {
  paths: {
    '/things/{id}': {
      post: {
        operationId: 'makeThing',
        parameters: [
          { name: 'id', in: 'path', required: true, schema: { type: 'string', maxLength: 9 } },
          { $ref: '#/components/parameters/Limit', name: '', in: '' },
        ],
        requestBody: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Sent' } } } },
        responses: {
          200: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Answered' } } } },
          401: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } } },
        },
      },
      delete: { operationId: 'dropThing', responses: { 204: {} } },
    },
  },
  components: {
    parameters: { Limit: { name: 'limit', in: 'query', schema: { type: 'integer', maximum: 500 } } },
    schemas: {
      Sent: sent,
      Answered: answered,
      Part: { type: 'object', required: ['a'], properties: { a: { type: 'string' } } },
      Error: {
        type: 'object',
        required: ['code'],
        properties: { code: { type: 'string', enum: ['NotFound'] } },
      },
    },
  },
};

/** The document with something else at a place: steps of dots, and slashes where a name has dots or slashes. */
function changed(place: readonly string[], value: unknown): ApiDocument {
  const copy = structuredClone(before) as unknown as Record<string, unknown>;
  const last = place.at(-1) ?? '';
  const holder = place.slice(0, -1).reduce((at, step) => at[step] as Record<string, unknown>, copy);
  if (value === undefined) delete holder[last];
  else holder[last] = value;
  return copy as unknown as ApiDocument;
}

const OPERATION = ['paths', '/things/{id}', 'post'];
const SENT = ['components', 'schemas', 'Sent'];
const ANSWERED = ['components', 'schemas', 'Answered'];
const field = (of: readonly string[], ...steps: string[]) => [...of, 'properties', ...steps];
const json = (schema: Schema) => ({ content: { 'application/json': { schema } } });

describe('breaks a client', () => {
  it.each<[string, readonly string[], unknown, string]>([
    [
      'a removed operation',
      ['paths', '/things/{id}', 'delete'],
      undefined,
      'dropThing: is not there any more',
    ],
    ['a removed path', ['paths', '/things/{id}'], undefined, 'makeThing: is not there any more'],
    ['another name of an operation', [...OPERATION, 'operationId'], 'x', 'makeThing: is called x now'],
    [
      'a good status that does not come',
      [...OPERATION, 'responses', '200'],
      undefined,
      'makeThing: does not answer 200 any more',
    ],
    [
      'another type of content',
      [...OPERATION, 'responses', '200'],
      { content: {} },
      'makeThing: has no answer of application/json any more',
    ],
    [
      'a body that must be sent',
      [...OPERATION, 'requestBody', 'required'],
      true,
      'makeThing: requires a body now',
    ],
    [
      'a parameter that is refused',
      [...OPERATION, 'parameters', '1'],
      { name: 'x', in: 'query' },
      'makeThing: takes no limit in query any more',
    ],
    [
      'a parameter that must be sent',
      ['components', 'parameters', 'Limit', 'required'],
      true,
      'makeThing: requires limit in query now',
    ],
    [
      'a narrower parameter',
      ['components', 'parameters', 'Limit', 'schema', 'maximum'],
      100,
      'request makeThing limit in query: has a lower maximum: 100',
    ],
    ['a field that is refused', field(SENT, 'count'), undefined, 'request Sent.count: is not there any more'],
    [
      'a field that must be sent',
      [...SENT, 'required'],
      ['name', 'kind'],
      'request Sent.kind: is required now',
    ],
    [
      'another type',
      field(SENT, 'count', 'type'),
      'string',
      'request Sent.count: was integer (int32) and is string (int32)',
    ],
    [
      'another format',
      field(SENT, 'count', 'format'),
      'int64',
      'request Sent.count: was integer (int32) and is integer (int64)',
    ],
    ['a shorter text', field(SENT, 'name', 'maxLength'), 20, 'request Sent.name: has a lower maxLength: 20'],
    [
      'a text that must be longer',
      field(SENT, 'name', 'minLength'),
      2,
      'request Sent.name: has a higher minLength: 2',
    ],
    ['a pattern', field(SENT, 'name', 'pattern'), '^a', 'request Sent.name: must match ^a now'],
    [
      'a limit where there was none',
      field(SENT, 'keys', 'maxItems'),
      9,
      'request Sent.keys: has a lower maxItems: 9',
    ],
    [
      'a value that is refused',
      field(SENT, 'kind', 'enum'),
      ['http', null],
      'request Sent.kind: may not be "cron" any more',
    ],
    [
      'values that are closed',
      field(SENT, 'name', 'enum'),
      ['a'],
      'request Sent.name: takes certain values alone now',
    ],
    [
      'a null that is refused',
      field(SENT, 'kind', 'nullable'),
      undefined,
      'request Sent.kind: may not be null any more',
    ],
    [
      'another default',
      field(SENT, 'count', 'default'),
      2,
      'request Sent.count: means 2 where it is left out, and meant 1',
    ],
    [
      'values of a map',
      field(SENT, 'env', 'additionalProperties'),
      { type: 'integer' },
      'request Sent.env.*: was string and is integer',
    ],
    [
      'items of a list',
      field(SENT, 'keys', 'items', 'type'),
      'integer',
      'request Sent.keys[]: was string and is integer',
    ],
    [
      'a field that does not come',
      field(ANSWERED, 'url'),
      undefined,
      'answer Answered.url: is not there any more',
    ],
    [
      'a field that may not come',
      [...ANSWERED, 'required'],
      ['name'],
      'answer Answered.phase: may be left out now',
    ],
    [
      'a null that may come',
      field(ANSWERED, 'name', 'nullable'),
      true,
      'answer Answered.name: may be null now',
    ],
    [
      'values that are open',
      field(ANSWERED, 'phase', 'enum'),
      undefined,
      'answer Answered.phase: may be anything now',
    ],
    [
      'something deep within',
      ['components', 'schemas', 'Part', 'properties', 'a', 'type'],
      'number',
      'answer Part.a: was string and is number',
    ],
    [
      'errors of another form',
      ['components', 'schemas', 'Error', 'properties', 'code'],
      undefined,
      'answer Error.code: is not there any more',
    ],
    [
      'a choice',
      field(ANSWERED, 'name', 'anyOf'),
      [{ type: 'string' }],
      'answer Answered.name: has another anyOf',
    ],
  ])('%s', (_, place, value, said) => {
    expect(breaksBetween(before, changed(place, value))).toContain(said);
  });
});

describe('breaks nobody', () => {
  it.each<[string, readonly string[], unknown]>([
    ['nothing', ['info'], { title: 'x' }],
    ['a new operation', ['paths', '/others'], { get: { operationId: 'o', responses: {} } }],
    ['a new field that may be sent', field(SENT, 'more'), { type: 'string' }],
    ['a new field that comes', field(ANSWERED, 'more'), { type: 'string' }],
    ['wider limits', field(SENT, 'name'), { type: 'string', maxLength: 80 }],
    ['a new value to send', field(SENT, 'kind', 'enum'), ['http', 'cron', 'event', null]],
    ['a new value that comes', field(ANSWERED, 'phase', 'enum'), ['Ready', 'Failed', 'Stopped']],
    ['a new parameter', [...OPERATION, 'parameters', '2'], { name: 'x', in: 'query' }],
    ['a new error', [...OPERATION, 'responses', '429'], json({ $ref: '#/components/schemas/Error' })],
    [
      'words and examples',
      field(SENT, 'name'),
      { type: 'string', maxLength: 40, minLength: 1, description: 'x', example: 'y' },
    ],
  ])('%s', (_, place, value) => {
    expect(breaksBetween(before, changed(place, value))).toEqual([]);
  });
});

describe('openapi.json', () => {
  const file = resolve(import.meta.dirname, '../../../openapi.released.json');
  const released = JSON.parse(readFileSync(file, 'utf8')) as ApiDocument;
  const now = JSON.parse(openApiFile()[0]?.content ?? '') as ApiDocument;

  it('breaks no client of the last release, unless src/codegen/compatibility/accepted-breaks.ts says why', () => {
    const breaks = breaksBetween(released, now);
    expect(breaks.filter((each) => ACCEPTED_BREAKS[each] === undefined)).toEqual([]);
    expect(Object.keys(ACCEPTED_BREAKS).filter((each) => !breaks.includes(each))).toEqual([]);
  });
});
