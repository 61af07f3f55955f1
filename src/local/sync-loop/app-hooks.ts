import type { CallHook } from './hook.ts';

/** What answers requests in this process, such as a Hono app. */
interface App {
  request(path: string, init: RequestInit): Response | Promise<Response>;
}

/** Asks the hooks of an app without a network between. */
export function appHooks(app: App): CallHook {
  return async (path, body, signal) => {
    const headers = { 'content-type': 'application/json', 'accept-encoding': 'gzip' };
    const response = await app.request(path, { method: 'POST', headers, body, signal });
    return {
      status: response.status,
      headers: Object.fromEntries(response.headers),
      body: await response.text(),
    };
  };
}
