import { ERRORS } from '../../../errors.ts';

/**
 * What the api says with each code that it answers with, as an example of the words. The keys are also the closed list of
 * those codes: an operation cannot name another one.
 */
export const ERROR_EXAMPLES = {
  InvalidRequest: 'the request is not valid: replicas: must be at least 0',
  InvalidArchive: 'the zip was refused: "../handler.py" leaves the folder',
  InvalidCode: 'code validation failed: it connects to a mining pool',
  EntrypointNotFound: 'handler.py is not in the zip, which holds: main.py',
  UnknownRuntime: 'there is no runtime "cobol"; there are: nodejs20, python3.11',
  Unauthenticated: 'the token has expired',
  Forbidden: 'this token is for the namespace sless-2bd806c97f0e00af',
  ForbiddenSource:
    "s3_key must begin with contexts/sless-2bd806c97f0e00af/hello/ and name one of this function's uploads",
  NotFound: 'there is no function "hello"',
  NamespaceNotFound:
    'there is no namespace sless-2bd806c97f0e00af yet: POST /v1/namespaces/sless-2bd806c97f0e00af/ensure makes it',
  NoSuchVersion: 'the function "hello" has no code yet',
  RequestTimeout: 'the request did not arrive in time',
  NamespaceNotEnabled:
    'the namespace sless-2bd806c97f0e00af is not enabled: an administrator must label it sless.dev/tenant=true',
  AlreadyExists: 'there is a function "hello" already',
  AwaitingCode: 'the function "hello" has no code yet: upload some',
  Conflict: 'Function hello was changed meanwhile: its resourceVersion is another',
  Gone: 'the cursor is too old: begin the list again',
  PayloadTooLarge: 'the body must be at most 1048576 bytes',
  UnsupportedMediaType: 'send JSON with Content-Type: application/json (curl --json)',
  ExpectationFailed: 'Expect must be "100-continue"',
  TooManyRequests: 'at most 4 uploads of one tenant at once; try again',
  HeadersTooLarge: 'the request line and the headers are larger than 16384 bytes',
  Internal: 'something went wrong on our side; the request id finds it in the logs',
  NotImplemented: 'this installation keeps no log of calls: its administrator sets DATABASE_URL',
  Unavailable: 'the cluster cannot be reached',
  HttpVersionNotSupported: 'only HTTP/1.1 and HTTP/1.0 are spoken here',
} as const satisfies Partial<Record<keyof typeof ERRORS, string>>;

/** A code that an operation of REST may answer with. */
export type AnswerCode = keyof typeof ERROR_EXAMPLES;

/** The bodies, by code: `components.examples` of the document. */
export function errorExamples(): readonly (readonly [AnswerCode, { readonly value: object }])[] {
  const codes = Object.keys(ERROR_EXAMPLES) as AnswerCode[]; // the keys of a closed object
  return codes.map((code) => [code, { value: { error: ERROR_EXAMPLES[code], code } }]);
}

/** What any request may be refused with before anyone looks at what it asks for. */
const BEFOREHAND: readonly AnswerCode[] = [
  'InvalidRequest',
  'RequestTimeout',
  'ExpectationFailed',
  'HeadersTooLarge',
  'HttpVersionNotSupported',
];

/** `components.responses.Refused`: the `default` of every operation. */
export function refusedResponse(schema: { readonly $ref: string }) {
  const statuses = BEFOREHAND.map((code) => `${ERRORS[code].http} ${code}`).join(', ');
  return {
    description: `Refused before the operation was looked at, as a request that is no sound HTTP: ${statuses}.`,
    content: { 'application/json': { schema, examples: exampleRefs(BEFOREHAND) } },
  };
}

/** References to the examples of these codes. */
export function exampleRefs(codes: readonly AnswerCode[]): Record<string, { $ref: string }> {
  return Object.fromEntries(codes.map((code) => [code, { $ref: `#/components/examples/${code}` }]));
}
