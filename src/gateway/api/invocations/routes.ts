import { z } from '@hono/zod-openapi';
import { SlessError } from '../../../errors.ts';
import {
  INVOCATION_OUTCOMES,
  INVOCATION_TRIGGERS,
  type InvocationLog,
  type InvocationQuery,
} from '../../../ports/invocation-log.ts';
import { json, operation } from '../answer/operation.ts';
import type { ApiApp, ApiDeps } from '../deps.ts';
import { requireFunction } from '../functions/object.ts';
import { nextCursor, pageOf, pageQuery } from '../request/paging.ts';
import { functionParams } from '../request/params.ts';
import { invocationAnswer, toInvocationAnswer } from './answer.ts';

const moment = (description: string) =>
  z.iso
    .datetime({ offset: true, error: 'must be a time such as 2026-03-01T12:00:00Z' })
    .optional()
    .openapi({ description, format: 'date-time' });

const filters = pageQuery.extend({
  trigger: z.enum(INVOCATION_TRIGGERS).optional().openapi({ description: 'Only calls by this.' }),
  trigger_name: z
    .string()
    .max(253)
    .optional()
    .openapi({ description: 'Only calls by the trigger or job of this name.' }),
  outcome: z.enum(INVOCATION_OUTCOMES).optional().openapi({ description: 'Only calls that ended so.' }),
  status: z.coerce
    .number()
    .int()
    .min(100)
    .max(599)
    .optional()
    .openapi({ type: 'integer', description: 'Only calls with this HTTP status.' }),
  request_id: z
    .string()
    .max(200)
    .optional()
    .openapi({ description: 'Only the call with this X-Request-Id.' }),
  since: moment('Only calls that began at or after this time.'),
  until: moment('Only calls that began before this time.'),
});

const invocationList = z
  .object({ items: z.array(invocationAnswer), next: nextCursor })
  .openapi('InvocationList');
const CODES = ['NamespaceNotFound', 'NotFound', 'InvalidRequest', 'NotImplemented'] as const;
const INVOCATIONS = '/v1/namespaces/{ns}/functions/{name}/invocations' as const;

export const listInvocationsRoute = operation(CODES, {
  method: 'get',
  path: INVOCATIONS,
  operationId: 'listInvocations',
  tags: ['invocations'],
  summary: 'Lists the calls of a function, newest first, a page at a time.',
  request: { params: functionParams, query: filters },
  responses: { 200: json('A page of calls.', invocationList) },
});

export const getInvocationRoute = operation(CODES, {
  method: 'get',
  path: `${INVOCATIONS}/{id}`,
  operationId: 'getInvocation',
  tags: ['invocations'],
  summary: 'Shows one call.',
  request: {
    params: functionParams.extend({
      id: z
        .string()
        .max(100)
        .describe("The call's id.")
        .openapi({ example: '0195531c-8f00-7d32-9c9e-5f3b6d1f0a11' }),
    }),
  },
  responses: { 200: json('The call.', invocationAnswer) },
});

/** What became of the calls of a function, where the installation keeps that. */
export function registerInvocations(app: ApiApp, { cluster, invocations }: ApiDeps): void {
  app.openapi(listInvocationsRoute, async (c) => {
    const address = { namespace: c.get('namespace'), name: c.req.valid('param').name };
    await requireFunction(cluster, address);
    const query = c.req.valid('query');
    const page = await requireLog(invocations).list(queryOf(address, query), pageOf(query));
    return c.json({ items: page.items.map(toInvocationAnswer), next: page.next ?? null }, 200);
  });
  app.openapi(getInvocationRoute, async (c) => {
    const { name, id } = c.req.valid('param');
    const address = { namespace: c.get('namespace'), name };
    await requireFunction(cluster, address);
    const found = await requireLog(invocations).get({ namespace: address.namespace, function: name, id });
    if (found === undefined)
      throw new SlessError('NotFound', `there is no call ${JSON.stringify(id)} of ${JSON.stringify(name)}`);
    return c.json(toInvocationAnswer(found), 200);
  });
}

function requireLog(log: InvocationLog | undefined): InvocationLog {
  if (log !== undefined) return log;
  throw new SlessError(
    'NotImplemented',
    'this installation keeps no log of calls: its administrator sets DATABASE_URL',
  );
}

function queryOf(
  { namespace, name }: { readonly namespace: string; readonly name: string },
  { trigger, trigger_name, outcome, status, request_id, since, until }: z.infer<typeof filters>,
): InvocationQuery {
  return {
    namespace,
    function: name,
    ...(trigger === undefined ? {} : { trigger }),
    ...(trigger_name === undefined ? {} : { triggerName: trigger_name }),
    ...(outcome === undefined ? {} : { outcome }),
    ...(status === undefined ? {} : { status }),
    ...(request_id === undefined ? {} : { requestId: request_id }),
    ...(since === undefined ? {} : { since: Date.parse(since) }),
    ...(until === undefined ? {} : { until: Date.parse(until) }),
  };
}
