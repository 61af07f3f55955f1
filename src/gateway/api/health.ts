import type { ApiApp, ApiDeps } from './deps.ts';

/** `/healthz` says that the process answers, `/readyz` that requests may be sent to it. */
export function registerHealth(app: ApiApp, { ready }: Pick<ApiDeps, 'ready'>): void {
  app.get('/healthz', (c) => c.text('ok'));
  app.get('/readyz', (c) => (ready?.() === false ? c.text('not ready', 503) : c.text('ok')));
}
