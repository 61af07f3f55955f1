import { Validator } from '@seriousme/openapi-schema-validator';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ERRORS, isErrorCode } from '../../src/errors.ts';
import { type ApiServer, startApi, tokenFor } from './api-server.ts';
import { document, type MediaType, operations } from './contract/document.ts';
import { mistakesIn, mistakesInAnswer } from './contract/schemas.ts';

// Whether the api answers as the document says: `contract/operations.test.ts`.

let api: ApiServer;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

it('is a document of OpenAPI 3.0', async () => {
  const result = await new Validator().validate({ ...document });
  expect(result).toMatchObject({ valid: true });
});

it('names every operation once, and what each can answer', () => {
  const ids = operations.map(({ operationId }) => operationId);
  expect(new Set(ids).size).toBe(ids.length);
  for (const { operationId, responses } of operations)
    expect(Object.keys(responses), operationId).toEqual(
      expect.arrayContaining(['401', '403', '409', '500', '503', 'default']),
    );
});

it('names with every status the codes that come with it, each with the words', () => {
  for (const { operationId, responses } of operations)
    for (const [status, { content }] of Object.entries(responses)) {
      if (!/^[45]/.test(status)) continue;
      const codes = Object.keys(content?.['application/json']?.examples ?? {});
      expect(codes.length, `${operationId} ${status}`).toBeGreaterThan(0);
      for (const code of codes) {
        expect(isErrorCode(code) && String(ERRORS[code].http), code).toBe(status);
        expect(document.components.examples[code]?.value).toMatchObject({ code });
      }
    }
  for (const [code, { value }] of Object.entries(document.components.examples))
    expect(mistakesInAnswer({ $ref: '#/components/schemas/Error' }, value), code).toEqual([]);
});

/** The example of a body: its own, or that of its schema. */
function exampleOf({ example, schema }: MediaType): unknown {
  if (example !== undefined) return example;
  const name = String(schema.$ref).split('/').at(-1) ?? '';
  const { example: named, properties } = document.components.schemas[name] ?? {};
  if (named !== undefined || properties === undefined) return named;
  const { items } = properties as { items?: { items?: { $ref: string } } };
  // A list is an example of itself when what it lists is one.
  return items?.items === undefined ? undefined : { items: [exampleOf({ schema: items.items })], next: null };
}

it('shows an example of every body that is sent or answered, which its own schema takes', () => {
  for (const { operationId, requestBody, responses } of operations) {
    const good = Object.entries(responses).filter(([status]) => status.startsWith('2'));
    const answers = good.flatMap(([, { content = {} }]) => Object.entries(content));
    for (const [type, media] of Object.entries(requestBody?.content ?? {})) {
      const example = exampleOf(media);
      expect(example, `${operationId} ${type}`).toBeDefined();
      if (type === 'application/json') expect(mistakesIn(media.schema, example), operationId).toEqual([]);
    }
    for (const [type, media] of answers) {
      const example = exampleOf(media);
      expect(example, `${operationId} ${type}`).toBeDefined();
      expect(mistakesInAnswer(media.schema, example), operationId).toEqual([]);
    }
  }
});

it('shows an example of every schema that has one, which it takes itself', () => {
  for (const [name, schema] of Object.entries(document.components.schemas))
    if (schema.example !== undefined)
      expect(mistakesIn({ $ref: `#/components/schemas/${name}` }, schema.example), name).toEqual([]);
});

it('says how long every text that is sent may be, and how large every number', () => {
  const bodies = Object.entries(document.components.schemas).filter(([name]) =>
    /Create$|Patch$|^Rollback$/.test(name),
  );
  expect(bodies.length).toBeGreaterThan(6);
  for (const [name, schema] of bodies) expectBounds(schema, name);
});

/** Every text, number, list and map has a bound, a closed set of values, or is a whole number of 64 bits. */
function expectBounds(schema: unknown, path: string): void {
  const { type, properties, items, additionalProperties: more, ...rest } = schema as Record<string, unknown>;
  const bounds = { string: 'maxLength', array: 'maxItems', integer: 'minimum' } as const;
  if (typeof type === 'string' && type in bounds && rest.enum === undefined)
    expect(rest, path).toHaveProperty(bounds[type as keyof typeof bounds]);
  if (typeof more === 'object') {
    expect(rest, path).toHaveProperty('maxProperties');
    expectBounds(more, `${path}.*`);
  }
  if (items !== undefined) expectBounds(items, `${path}[]`);
  for (const [name, property] of Object.entries(properties ?? {})) expectBounds(property, `${path}.${name}`);
}

it('says nothing that is meant for the API server', () => {
  expect(JSON.stringify(document)).not.toContain('x-kubernetes');
});

it('is served to who has a token', async () => {
  const response = await fetch(`${api.url}/v1/openapi.json`, {
    headers: { authorization: `Bearer ${await tokenFor('alice')}` },
  });
  expect(response.headers.get('content-type')).toContain('application/json');
  expect(await response.json()).toEqual(document);
});
