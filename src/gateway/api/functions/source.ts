import { z } from '@hono/zod-openapi';
import { SlessError } from '../../../errors.ts';
import { readSource } from '../../../source/source-files.ts';
import { json, operation } from '../answer/operation.ts';
import type { ApiApp, ApiDeps } from '../deps.ts';
import { functionParams } from '../request/params.ts';
import { requireFunction } from './object.ts';
import { requireOwnKey } from './spec-check.ts';

const sourceFile = z
  .object({
    name: z.string().describe('Path within the code.'),
    size: z.int().openapi({ type: 'integer', format: 'int64', description: 'Bytes.' }),
    content: z.string().nullable().describe('The text; null where omitted says why there is none.'),
    omitted: z.enum(['binary', 'too large']).optional(),
  })
  .openapi('SourceFile', {
    example: { name: 'handler.py', size: 38, content: 'def handle(event):\n    return event\n' },
  });

export const readSourceRoute = operation(
  ['NamespaceNotFound', 'NotFound', 'NoSuchVersion', 'ForbiddenSource', 'InvalidRequest', 'InvalidArchive'],
  {
    method: 'get',
    path: '/v1/namespaces/{ns}/functions/{name}/source',
    operationId: 'readSource',
    tags: ['code'],
    summary: 'The code that is wanted now, file by file.',
    request: { params: functionParams },
    responses: { 200: json('The files, by path.', z.array(sourceFile)) },
  },
);

export function registerReadSource(app: ApiApp, { cluster, store }: ApiDeps): void {
  app.openapi(readSourceRoute, async (c) => {
    const address = { namespace: c.get('namespace'), name: c.req.valid('param').name };
    const { s3Key: key } = (await requireFunction(cluster, address)).spec;
    if (key === undefined)
      throw new SlessError('NoSuchVersion', `the function ${JSON.stringify(address.name)} has no code yet`);
    requireOwnKey(address, key);
    const { body } = await store.get(key);
    return c.json(await readSource(body), 200);
  });
}
