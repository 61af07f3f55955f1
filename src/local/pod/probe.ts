import { get } from 'node:http';

/** Whether a GET of that path is answered with a 2xx or 3xx in time. Each probe is a connection of its own. */
export function probe(port: number, path: string, timeoutMs: number): Promise<boolean> {
  return new Promise((resolve) => {
    const request = get({ host: '127.0.0.1', port, path, agent: false, timeout: timeoutMs }, (response) => {
      const status = response.statusCode ?? 0;
      response.destroy();
      resolve(status >= 200 && status < 400);
    });
    request.on('timeout', () => request.destroy());
    request.on('error', () => resolve(false));
  });
}
