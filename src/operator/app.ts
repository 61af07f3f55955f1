import { type Context, Hono } from 'hono';
import { isSlessError, SlessError } from '../errors.ts';
import type { Clock } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';
import { issueLines } from '../resources/kube/field-path.ts';
import { createHooks, type Hook } from './hooks.ts';
import type { HookSettings } from './settings.ts';

/** What the webhook server is made of. */
export interface OperatorDeps {
  readonly settings: HookSettings;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Whether `/readyz` says yes; always, where it is absent. */
  readonly ready?: () => boolean;
  /** Told of every answer of a hook, for metrics. */
  readonly observe?: (hook: string, seconds: number, isGood: boolean) => void;
}

/** Metacontroller sets no limit; a namespace of a thousand children with all their fields stays below this. */
const MAX_BODY = 32 * 1024 * 1024;

/**
 * The webhook server: parse, call the pure function, answer. Success is 200 with JSON and nothing else, since Metacontroller takes every
 * other status as an error; errors are JSON `{error, code}` with a status from the table of errors.
 */
export function createOperator(deps: OperatorDeps): Hono {
  const app = new Hono();
  app.onError((error, c) => answerError(error, c, deps.logger));
  app.notFound((c) => c.json({ error: `no hook at ${c.req.path}`, code: 'NotFound' }, 404));
  app.get('/healthz', (c) => c.text('ok'));
  app.get('/readyz', (c) => (deps.ready?.() === false ? c.text('not ready', 503) : c.text('ok')));
  for (const hook of createHooks(deps.settings)) {
    app.post(hook.path, async (c) => {
      const body = await boundedBody(c);
      const began = performance.now();
      const tell = (isGood: boolean): void =>
        deps.observe?.(hook.path, (performance.now() - began) / 1000, isGood);
      try {
        const answered = c.json(answer(hook, body, deps));
        tell(true);
        return answered;
      } catch (error) {
        tell(false);
        throw error;
      }
    });
  }
  return app;
}

const tooLarge = (): SlessError =>
  new SlessError('PayloadTooLarge', `a hook request has at most ${MAX_BODY} bytes`);

/** Metacontroller says how long its bodies are, and counting bytes doubles the cost of a call: so only others are counted. */
async function boundedBody({ req }: Context): Promise<string> {
  const length = req.header('content-length');
  if (length === undefined || req.header('transfer-encoding') !== undefined) return countedBody(req.raw.body);
  if (Number(length) > MAX_BODY) throw tooLarge();
  return req.text();
}

async function countedBody(body: ReadableStream<Uint8Array> | null): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body ?? []) {
    size += chunk.length;
    if (size > MAX_BODY) throw tooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

function answer(hook: Hook, body: string, { clock, logger }: OperatorDeps): object {
  const request = parseRequest(hook, body);
  try {
    return hook.answer(request, clock.now());
  } catch (cause) {
    const { kind, metadata } = hook.subject(request);
    logger.error(
      { err: cause, hook: hook.path, kind, namespace: metadata.namespace, name: metadata.name },
      'hook failed',
    );
    throw new SlessError(
      'Internal',
      `${hook.path} failed for ${kind} ${metadata.namespace ?? ''}/${metadata.name}`,
      { cause },
    );
  }
}

function parseRequest(hook: Hook, body: string): unknown {
  const parsed = hook.request.safeParse(parseJson(body));
  if (parsed.success) return parsed.data;
  throw new SlessError('InvalidRequest', issueLines('body', parsed.error).join('; '));
}

function parseJson(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch (cause) {
    throw new SlessError('InvalidRequest', 'body: must be JSON', { cause });
  }
}

function answerError(error: Error, c: Context, logger: Logger): Response {
  const known = isSlessError(error) ? error : new SlessError('Internal', 'internal error', { cause: error });
  if (known !== error) logger.error({ err: error, path: c.req.path }, 'hook failed');
  if (known.http < 500) logger.warn({ path: c.req.path, code: known.code }, known.message);
  return new Response(JSON.stringify({ error: known.message, code: known.code }), {
    status: known.http,
    headers: { 'content-type': 'application/json' },
  });
}
