import { z } from 'zod';

/** Metacontroller's own default (WebhookTimeout of its webhook.go). */
const DEFAULT_TIMEOUT_MS = 10_000;

const UNIT_MS: Readonly<Record<string, number>> = { h: 3_600_000, m: 60_000, s: 1_000, ms: 1 };

const GO_DURATION = /^(\d+(\.\d+)?(h|ms|m|s))+$/;

/** A Go duration such as `1m30s`, in milliseconds. */
const duration = z
  .string()
  .regex(GO_DURATION, 'must be a Go duration such as 10s or 500ms')
  .transform((text) =>
    [...text.matchAll(/(\d+(?:\.\d+)?)(h|ms|m|s)/g)].reduce(
      (sum, [, number, unit = 's']) => sum + Number(number) * (UNIT_MS[unit] ?? 0),
      0,
    ),
  );

const webhook = z
  .strictObject({
    url: z.url().optional(),
    service: z.looseObject({ name: z.string(), namespace: z.string() }).optional(),
    path: z.string().startsWith('/').optional(),
    timeout: duration.optional(),
    responseUnMarshallMode: z.literal('strict').optional(),
    // How the way to the hook is secured: there is no way in one process.
    caBundle: z.unknown().optional(),
    clientTLS: z.unknown().optional(),
    authorization: z.unknown().optional(),
    basicAuth: z.unknown().optional(),
  })
  .refine((hook) => hook.url !== undefined || (hook.service && hook.path), 'needs url, or service and path')
  .transform((hook) => ({
    path: hook.url === undefined ? String(hook.path) : new URL(hook.url).pathname,
    timeoutMs: hook.timeout || DEFAULT_TIMEOUT_MS,
  }));

/** A hook of version v2 as a controller names it: where it is asked and for how long at most. */
export const hookSchema = z
  .strictObject({ version: z.literal('v2'), webhook })
  .transform(({ webhook: at }): HookAddress => at);

/** Where a hook is. */
export interface HookAddress {
  readonly path: string;
  readonly timeoutMs: number;
}
