import { OpenAPIHono } from '@hono/zod-openapi';
import type { ApiApp, ApiEnv } from './deps.ts';

/** The document as JSON text, two spaces deep: `/v1/openapi.json`, and `openapi.json` of the repository. */
export function openApiText(app: ApiApp, version: string): string {
  const document = app.getOpenAPIDocument({
    openapi: '3.0.3',
    info: {
      title: 'sless',
      version,
      description:
        'Functions from zips. Every request carries a bearer token (JWT with sub and exp); its namespace is sless- and the first 8 bytes of SHA-256(sub) in hex. Fields that are not named keep their value in a PATCH, null brings back the default. Errors are {"error", "code"}.',
      license: { name: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
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
  app.openAPIRegistry.registerComponent('securitySchemes', 'bearer', {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
  });
  return app;
}
