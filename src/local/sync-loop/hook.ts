import { z } from 'zod';
import type { Clock } from '../../ports/clock.ts';
import type { HookAddress } from './webhook.ts';

/** What a hook answers over HTTP. Names of headers are lower case. */
export interface HookAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Asks a hook: POST of JSON to a path. It is told when nobody waits any more. */
export type CallHook = (path: string, body: string, signal: AbortSignal) => Promise<HookAnswer>;

/** The hook wants to be asked again after that time, and nothing is wrong. */
export class TooManyRequests extends Error {
  readonly afterMs: number;
  constructor(afterMs: number) {
    super(`the hook asks to wait ${afterMs} ms`);
    this.afterMs = afterMs;
  }
}

/** An answer that ends the whole of Metacontroller, and so the loop: a null where an object must be (mc#383). */
export class HookCrash extends Error {}

/** Asks one hook and reads its answer as strictly as Metacontroller does. Every failure is an Error for the log. */
export interface Hooks {
  ask<T>(hook: HookAddress, request: object, schema: z.ZodType<T>): Promise<T>;
}

export function createHooks({
  callHook,
  clock,
}: {
  readonly callHook: CallHook;
  readonly clock: Clock;
}): Hooks {
  return {
    async ask(hook, request, schema) {
      const signal = AbortSignal.timeout(hook.timeoutMs);
      const { status, headers, body } = await Promise.race([
        callHook(hook.path, JSON.stringify(request), signal),
        expiry(hook, signal),
      ]);
      if (status === 429) throw new TooManyRequests(retryAfterMs(headers['retry-after'], clock));
      if (status !== 200)
        throw new Error(`${hook.path}: unsupported status ${status}: ${body.slice(0, 500)}`);
      return read(hook, body, schema);
    },
  };
}

function expiry({ path, timeoutMs }: HookAddress, signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(new Error(`${path}: no answer within ${timeoutMs} ms`)), {
      once: true,
    });
  });
}

/** Seconds or an RFC 1123 date; what is neither counts as none, so the next call follows at once. */
function retryAfterMs(header: string | undefined, clock: Clock): number {
  if (header !== undefined && /^\d+$/.test(header)) return Number(header) * 1000;
  const date = header === undefined || !header.endsWith('GMT') ? Number.NaN : Date.parse(header);
  return Number.isNaN(date) ? 0 : Math.max(0, Math.ceil((date - clock.now()) / 1000) * 1000);
}

const LISTS = ['children', 'attachments', 'relatedResources'] as const;

function read<T>(hook: HookAddress, body: string, schema: z.ZodType<T>): T {
  let answer: unknown;
  try {
    answer = JSON.parse(body);
  } catch (cause) {
    throw new Error(`${hook.path}: the answer is no JSON`, { cause });
  }
  for (const name of LISTS) {
    const list = (answer as Record<string, unknown> | null)?.[name];
    if (Array.isArray(list) && list.includes(null)) {
      throw new HookCrash(`${hook.path}: ${name} holds a null, which ends Metacontroller`);
    }
  }
  const parsed = schema.safeParse(answer);
  if (parsed.success) return parsed.data;
  throw new Error(`${hook.path}: strict validation failed: ${z.prettifyError(parsed.error)}`);
}
