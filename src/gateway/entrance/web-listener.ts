import type { RequestListener } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import { SlessError } from '../../errors.ts';
import { toErrorAnswer } from '../api/answer/error-body.ts';

/** A Hono app for a server of node:http. What cannot be made a Request of never reaches the app, and is refused here. */
export function webListener(app: {
  readonly fetch: Parameters<typeof getRequestListener>[0];
}): RequestListener {
  return getRequestListener(app.fetch, {
    errorHandler: (cause) => {
      const error = new SlessError('InvalidRequest', 'the request target or the Host header makes no URL', {
        cause,
      });
      const { status, body } = toErrorAnswer(error);
      return Response.json(body, { status, headers: { connection: 'close', 'cache-control': 'no-store' } });
    },
  });
}
