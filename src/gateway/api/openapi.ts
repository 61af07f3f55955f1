import { OpenAPIHono } from '@hono/zod-openapi';
import { errorBody } from './answer/error-body.ts';
import { errorExamples, refusedResponse } from './answer/error-examples.ts';
import { ANSWER_HEADERS } from './answer/operation.ts';
import type { ApiApp, ApiEnv } from './deps.ts';

const DESCRIPTION = `Functions from zips: code is uploaded, built and called at a URL.

**Who.** Every request carries a bearer token (a JWT with \`sub\` and \`exp\`, at most 8192 characters). Its namespace is \`sless-\` and the first 8 bytes of SHA-256(\`sub\`) in hex; another one is used only where the installation asks Kubernetes who may. \`POST …/ensure\` makes the namespace and comes before everything else.

**Fields.** Answers name every field; null says that there is nothing. In a PATCH, fields that are not named keep their value, those that are named are replaced whole, and null brings back the default. An unknown field of a body is refused, and so is an unknown parameter of a list or of logs. Clients pass over fields of answers that they do not know: new ones come without a new version of the API.

**Lists** are paged: \`next\` is the \`cursor\` of the page after, null on the last.

**Limits.** A body of JSON is UTF-8 and at most 1 MiB, an upload 32 MiB, a message 16 MiB, and the request line with all headers 16 KiB. A body that stops coming is given up after a while.

**Errors** are \`{"error", "code", "details"}\`: a sentence for a person, a word of the closed table, and every single mistake where there are several. Each operation names the codes that it answers with. A path that does not exist is 404 \`NotFound\`, one that exists for other methods 405 \`MethodNotAllowed\` with \`Allow\`. After 429 and 503, and after 409 \`Conflict\`, the same request may be sent again, when \`Retry-After\` says where it does.

Every answer carries \`X-Request-Id\`, by which the logs of the installation know it.`;

/** The document as JSON text, two spaces deep: `/v1/openapi.json`, and `openapi.json` of the repository. */
export function openApiText(app: ApiApp, version: string): string {
  const document = app.getOpenAPIDocument({
    openapi: '3.0.3',
    info: {
      title: 'sless',
      version,
      description: DESCRIPTION,
      license: { name: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    tags: [
      { name: 'namespaces', description: 'Where all that a tenant has lies.' },
      { name: 'functions', description: 'What is to run, and how much of it.' },
      { name: 'code', description: 'What they run: uploads, builds, versions.' },
      { name: 'triggers', description: 'What calls them: HTTP, a schedule, a queue.' },
      { name: 'jobs', description: 'Runs of a function, once each, with their result.' },
      { name: 'logs', description: 'What functions and builds have written.' },
      { name: 'invocations', description: 'What became of calls, where the installation keeps that.' },
      { name: 'events', description: 'The bus of local mode.' },
    ],
  });
  return `${JSON.stringify(document, withoutKubernetes, 2)}\n`;
}

/** What the schemas tell the API server means nothing to a client of REST. */
function withoutKubernetes(key: string, value: unknown): unknown {
  return key.startsWith('x-kubernetes-') ? undefined : value;
}

/** An app that knows how errors and tokens are described, and no route yet. */
export function createOpenApiApp(): ApiApp {
  const app = new OpenAPIHono<ApiEnv>();
  const { openAPIRegistry: registry } = app;
  registry.registerComponent('securitySchemes', 'bearer', {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
  });
  registry.register('Error', errorBody);
  registry.registerComponent('responses', 'Refused', refusedResponse({ $ref: '#/components/schemas/Error' }));
  for (const [name, described] of Object.entries(ANSWER_HEADERS))
    registry.registerComponent('headers', name, described);
  for (const [code, example] of errorExamples()) registry.registerComponent('examples', code, example);
  return app;
}
