import { registerOperations } from './app.ts';
import type { ApiDeps } from './deps.ts';
import { createOpenApiApp, openApiText } from './openapi.ts';

/** The OpenAPI document without a running api: handlers are registered and never called. */
export function describeApi(version: string): string {
  const app = createOpenApiApp();
  registerOperations(app, {} as ApiDeps, { bucket: '', version }); // nothing of the deps is touched before a request
  return openApiText(app, version);
}
