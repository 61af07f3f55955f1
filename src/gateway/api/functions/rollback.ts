import { z } from '@hono/zod-openapi';
import type { FunctionObject, HistoryEntry } from '../../../resources/function/schema.ts';
import { ANNOTATIONS } from '../../../resources/kube/labels.ts';
import { json, operation } from '../answer/operation.ts';
import type { ApiApp, ApiDeps, ApiOptions } from '../deps.ts';
import { patchFresh } from '../fresh-patch.ts';
import { jsonBody } from '../request/json-body.ts';
import { functionParams } from '../request/params.ts';
import { acceptedAnswer } from '../upload/answer.ts';
import { asFunction, functionRef, functionTitle } from './object.ts';
import { phaseOf } from './phase.ts';
import { requireVersion } from './requested-version.ts';
import { forgottenRebuild, keyAnnotations, readSidecar } from './sidecar.ts';

const rollback = z
  .strictObject({ s3_key: z.string().min(1).max(512).describe('The s3_key of one of the versions.') })
  .openapi('Rollback', {
    example: { s3_key: 'contexts/sless-2bd806c97f0e00af/hello/20260301120000-0f343b0931126a20.tar.gz' },
  });

export const rollbackRoute = operation(
  [
    'NamespaceNotFound',
    'NotFound',
    'NoSuchVersion',
    'InvalidRequest',
    'Conflict',
    'PayloadTooLarge',
    'UnsupportedMediaType',
  ],
  {
    method: 'post',
    path: '/v1/namespaces/{ns}/functions/{name}/rollback',
    operationId: 'rollbackFunction',
    tags: ['code'],
    summary: 'Goes back to one of the versions. Nothing is built.',
    request: {
      params: functionParams,
      body: { required: true, content: { 'application/json': { schema: rollback } } },
    },
    middleware: jsonBody,
    responses: { 202: json('The version is wanted now.', acceptedAnswer) },
  },
);

/** Back behind a rebuild of the same key: the annotation asks again for what the version answers. */
function rebuildFor(
  object: FunctionObject,
  { key, image, rebuild }: HistoryEntry,
): Record<string, string | null> {
  const { builtKey, image: deployed } = object.status ?? {};
  if (builtKey === key && deployed !== image) return { [ANNOTATIONS.rebuild]: rebuild ?? null };
  return forgottenRebuild(object, key);
}

export function registerRollback(app: ApiApp, deps: ApiDeps, { bucket }: ApiOptions): void {
  app.openapi(rollbackRoute, async (c) => {
    const address = { namespace: c.get('namespace'), name: c.req.valid('param').name };
    const { s3_key: key } = c.req.valid('json');
    const sidecar = await readSidecar({ store: deps.store, address }, key);
    const object = await patchFresh(deps, {
      ref: functionRef(address),
      title: functionTitle(address),
      change: (current) => {
        const object = asFunction(current);
        const version = requireVersion(object, key, deps.runtimes);
        return {
          spec: { s3Key: key, s3Bucket: bucket },
          annotations: { ...keyAnnotations(key, sidecar), ...rebuildFor(object, version) },
        };
      },
    });
    const { phase, message } = phaseOf(asFunction(object));
    return c.json({ s3_key: key, phase, message }, 202);
  });
}
