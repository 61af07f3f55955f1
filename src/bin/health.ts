import type { RequestListener } from 'node:http';

/** Answers probes, and to everything else that there is nothing. */
export function health(ready: () => boolean, otherwise: string): RequestListener {
  return ({ url }, response) => {
    const isUp = url === '/healthz' || (url === '/readyz' && ready());
    if (isUp) return void response.end('ok');
    if (url === '/readyz') return void response.writeHead(503).end('not ready');
    const body = JSON.stringify({ error: otherwise, code: 'NotFound' });
    const headers = { 'content-type': 'application/json', 'content-length': body.length };
    response.writeHead(404, headers).end(body);
  };
}
