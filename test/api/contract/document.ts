import { describeApi } from '../../../src/gateway/api/describe.ts';

/** A schema, or whatever else of the document has no type of its own here. */
export type Json = Readonly<Record<string, unknown>>;

export interface MediaType {
  readonly schema: Json;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { readonly $ref: string }>>;
}

interface DocumentedResponse {
  readonly $ref?: string;
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly content?: Readonly<Record<string, MediaType>>;
}

interface DocumentedOperation {
  readonly operationId: string;
  readonly parameters?: readonly { readonly $ref?: string; readonly name?: string; readonly in?: string }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, MediaType>> };
  readonly responses: Readonly<Record<string, DocumentedResponse>>;
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentedOperation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Json>>;
    readonly examples: Readonly<Record<string, { readonly value: { readonly code: string } }>>;
  };
}

export interface Operation extends DocumentedOperation {
  readonly method: string;
  /** With its parameters in braces. */
  readonly path: string;
}

/** The document as it is generated, which a test holds to be that of the repository. */
export const document = JSON.parse(describeApi('0.0.0')) as Document;

export const operations: readonly Operation[] = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({
    ...operation,
    path,
    method: method.toUpperCase(),
  })),
);

/** @throws an Error when the document has no such operation */
export function operationOf(id: string): Operation {
  const found = operations.find(({ operationId }) => operationId === id);
  if (found === undefined) throw new Error(`${id} is not documented`);
  return found;
}

/** Everything that an operation may answer with: a good status, or a code of an error. */
export function answersOf({ responses }: Operation): readonly string[] {
  return Object.entries(responses).flatMap(([status, { content }]) => {
    if (status === 'default') return [];
    const codes = Object.keys(content?.['application/json']?.examples ?? {});
    return codes.length > 0 ? codes : [status];
  });
}
