import { json, operation } from '../answer/operation.ts';
import type { ApiApp, ApiDeps } from '../deps.ts';
import { functionParams } from '../request/params.ts';
import { listTriggers } from '../triggers/of-namespace.ts';
import { functionAnswer, toFunctionAnswer } from './answer.ts';
import { requireFunction } from './object.ts';

export const getFunctionRoute = operation(['NamespaceNotFound', 'NotFound', 'InvalidRequest'], {
  method: 'get',
  path: '/v1/namespaces/{ns}/functions/{name}',
  operationId: 'getFunction',
  tags: ['functions'],
  summary: 'Shows a function.',
  request: { params: functionParams },
  responses: { 200: json('The function.', functionAnswer) },
});

export function registerGetFunction(app: ApiApp, { cluster, runtimes }: ApiDeps): void {
  app.openapi(getFunctionRoute, async (c) => {
    const namespace = c.get('namespace');
    const { name } = c.req.valid('param');
    const object = await requireFunction(cluster, { namespace, name });
    const triggers = await listTriggers(cluster, namespace, name);
    return c.json(toFunctionAnswer(object, { runtimes, triggers }), 200);
  });
}
