import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { type Context, Hono } from 'hono';
import { isSlessError, SlessError } from '../../errors.ts';
import { toErrorAnswer } from '../api/answer/error-body.ts';
import { authorize } from './asker.ts';
import type { InternalDeps, InternalEnv, InternalOptions } from './deps.ts';

const AT_ONCE = 32;
const SILENCE_MS = 30_000;

/**
 * The routes for build pods, on a port of their own that never belongs in an Ingress. Serve them with
 * `webListener(app)` on a node:http server: contexts are written to the raw response.
 */
export function createInternal(deps: InternalDeps, options: InternalOptions = {}): Hono<InternalEnv> {
  const app = new Hono<InternalEnv>();
  const { atOnce = AT_ONCE, silenceMs = SILENCE_MS } = options;
  let running = 0;
  app.get('/healthz', (c) => c.text('ok'));
  app.get('/internal/contexts/:ns/:name', async (c) => {
    if (running >= atOnce)
      throw new SlessError('TooManyRequests', 'too many contexts are being fetched', {
        retryAfterSeconds: 1,
      });
    running += 1;
    try {
      return await answerContext(deps, c, silenceMs);
    } finally {
      running -= 1;
    }
  });
  app.notFound((c) => refuse(deps, c, new SlessError('NotFound', 'there is no such internal route')));
  app.onError((error, c) => refuse(deps, c, error));
  return app;
}

async function answerContext(
  deps: InternalDeps,
  c: Context<InternalEnv>,
  silenceMs: number,
): Promise<Response> {
  const { ns: namespace = '', name = '' } = c.req.param();
  const key = c.req.query('key') ?? '';
  const startedAt = deps.clock.now();
  await authorize(deps, { namespace, name, key, authorization: c.req.header('authorization') });
  const { body, size } = await open(deps.store, key);
  const about = { namespace, function: name, key, bytes: size };
  try {
    await send(c, { body, size, silenceMs });
    deps.logger.info({ ...about, milliseconds: deps.clock.now() - startedAt }, 'a context was fetched');
  } catch (error) {
    // The head is sent: the reader learns it from a body that is too short, and tries again.
    deps.logger.warn({ ...about, err: error }, 'a context broke off on its way to a build');
  }
  return RESPONSE_ALREADY_SENT;
}

/** A key can be set with kubectl, so that it may lead nowhere: the user's to mend. */
async function open(store: InternalDeps['store'], key: string) {
  try {
    return await store.get(key);
  } catch (error) {
    if (!isSlessError(error, 'NotFound')) throw error;
    throw new SlessError('NoSuchVersion', `there is nothing stored under ${key}`, { cause: error });
  }
}

interface Sending {
  readonly body: Readable;
  readonly size: number;
  readonly silenceMs: number;
}

async function send({ env }: Context<InternalEnv>, { body, size, silenceMs }: Sending): Promise<void> {
  const { outgoing } = env;
  outgoing.setTimeout(silenceMs, () => outgoing.destroy(new Error('the reader fell silent')));
  outgoing.writeHead(200, {
    'content-type': 'application/gzip',
    'content-length': size,
    'cache-control': 'no-store',
  });
  await pipeline(body, outgoing);
}

function refuse({ logger }: InternalDeps, c: Context<InternalEnv>, error: Error): Response {
  const { status, headers, body } = toErrorAnswer(error);
  const { path } = c.req;
  logger[status >= 500 ? 'error' : 'warn']({ err: error, path, status }, 'an internal request was refused');
  // The table of errors holds statuses with bodies alone.
  return c.json(body, status as 400, { ...headers });
}
