import { z } from '@hono/zod-openapi';
import { KINDS } from '../../../resources/kube/kinds.ts';
import { json, operation } from '../answer/operation.ts';
import type { ApiApp, ApiDeps } from '../deps.ts';
import { nextCursor, nextOf, pageOf, pageQuery, readPage } from '../request/paging.ts';
import { namespaceParams } from '../request/params.ts';
import { listTriggers } from '../triggers/of-namespace.ts';
import { functionAnswer, toFunctionAnswer } from './answer.ts';
import { asFunction } from './object.ts';

const functionList = z.object({ items: z.array(functionAnswer), next: nextCursor }).openapi('FunctionList');

export const listFunctionsRoute = operation(['NamespaceNotFound', 'InvalidRequest', 'Gone'], {
  method: 'get',
  path: '/v1/namespaces/{ns}/functions',
  operationId: 'listFunctions',
  tags: ['functions'],
  summary: 'Lists functions by name, a page at a time.',
  request: { params: namespaceParams, query: pageQuery },
  responses: { 200: json('A page of functions.', functionList) },
});

export function registerListFunctions(app: ApiApp, { cluster, runtimes }: ApiDeps): void {
  app.openapi(listFunctionsRoute, async (c) => {
    const namespace = c.get('namespace');
    const page = await readPage(cluster, { kind: KINDS.Function, namespace }, pageOf(c.req.valid('query')));
    const triggers = page.items.length === 0 ? [] : await listTriggers(cluster, namespace);
    const items = page.items.map((object) => toFunctionAnswer(asFunction(object), { runtimes, triggers }));
    return c.json({ items, next: nextOf(page) }, 200);
  });
}
