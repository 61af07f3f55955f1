import { z } from '@hono/zod-openapi';
import type { FunctionObject } from '../../../resources/function/schema.ts';
import { json, operation } from '../answer/operation.ts';
import type { ApiApp, ApiDeps } from '../deps.ts';
import { nextCursor } from '../request/paging.ts';
import { functionParams } from '../request/params.ts';
import { requireFunction } from './object.ts';
import { readSidecar, type SidecarOwner } from './sidecar.ts';

/** A build that succeeded, as REST answers it. */
export const versionAnswer = z
  .object({
    s3_key: z.string().describe('The build context; what rollback takes.'),
    image: z.string(),
    built_at: z.string().describe('When the build ended (RFC 3339, UTC).'),
    code_hash: z.string().nullable().describe('Null where no upload made the context.'),
    review: z
      .object({
        verdict: z
          .enum(['safe', 'too large', 'unreviewed'])
          .describe(
            'safe: the model says so; too large: no model reads that much; unreviewed: it could not be asked.',
          ),
        model: z.string().nullable().describe('The model that said so.'),
      })
      .nullable()
      .describe('What the review of the code came to; null where uploads are not reviewed.'),
    served: z
      .boolean()
      .describe('Whether a pod of it has ever taken calls; false for one that did not start, or not yet.'),
    current: z
      .boolean()
      .describe(
        'Whether it is the one that takes calls, or took them last: while a newer one does not start, the one before it.',
      ),
  })
  .openapi('Version', {
    example: {
      s3_key: 'contexts/sless-2bd806c97f0e00af/hello/20260301120000-0f343b0931126a20.tar.gz',
      image: 'registry.example.com/sless/sless-2bd806c97f0e00af/hello@sha256:9f86d081884c7d65',
      built_at: '2026-03-01T12:00:31Z',
      code_hash: '0f343b0931126a20f133d67c2b018a3b1cbd8f2d6c0c2f0c2d7d3bb2d5c7c6a1',
      review: null,
      served: true,
      current: true,
    },
  });

const versionList = z.object({ items: z.array(versionAnswer), next: nextCursor }).openapi('VersionList');

export const listVersionsRoute = operation(['NamespaceNotFound', 'NotFound', 'InvalidRequest'], {
  method: 'get',
  path: '/v1/namespaces/{ns}/functions/{name}/versions',
  operationId: 'listVersions',
  tags: ['code'],
  summary:
    'The last ten builds that succeeded, newest first. Each can be rolled back to without a build; of two builds of one key, to the one that has taken calls.',
  request: { params: functionParams },
  responses: { 200: json('The versions.', versionList) },
});

export function registerListVersions(app: ApiApp, { cluster, store }: ApiDeps): void {
  app.openapi(listVersionsRoute, async (c) => {
    const address = { namespace: c.get('namespace'), name: c.req.valid('param').name };
    const items = await versionsOf(await requireFunction(cluster, address), { store, address });
    return c.json({ items, next: null }, 200);
  });
}

async function versionsOf(
  { status }: FunctionObject,
  owner: SidecarOwner,
): Promise<z.infer<typeof versionAnswer>[]> {
  const history = status?.history ?? [];
  const { serving } = status ?? {};
  return Promise.all(
    history.map(async (entry) => {
      const sidecar = await readSidecar(owner, entry.key);
      const { review } = sidecar ?? {};
      return {
        s3_key: entry.key,
        image: entry.image,
        built_at: entry.builtAt,
        code_hash: sidecar?.code_hash ?? null,
        review: review === undefined ? null : { verdict: review.verdict, model: review.model ?? null },
        served: entry.served ?? false,
        current: entry.key === serving?.key && entry.image === serving.image,
      };
    }),
  );
}
