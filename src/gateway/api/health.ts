import type { ApiApp, ApiDeps } from './deps.ts';

/** `/healthz` says that the process answers, `/readyz` that requests may be sent to it. */
export function registerHealth(app: ApiApp, { ready, ending }: Pick<ApiDeps, 'ready' | 'ending'>): void {
  app.get('/healthz', (c) => c.text('ok'));
  app.get('/readyz', (c) => {
    const isReady = ending?.aborted !== true && ready?.() !== false;
    return isReady ? c.text('ok') : c.text('not ready', 503);
  });
}
