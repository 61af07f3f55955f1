import { ANNOTATIONS } from '../../../resources/kube/labels.ts';
import type { KubeObject } from '../../../resources/kube/object.ts';
import { json, operation } from '../answer/operation.ts';
import type { ApiApp, ApiDeps, ApiOptions } from '../deps.ts';
import { type Change, patchFresh } from '../fresh-patch.ts';
import { mergePatchOf } from '../merge-patch.ts';
import { jsonBody } from '../request/json-body.ts';
import type { Spec } from '../request/named-fields.ts';
import { functionParams } from '../request/params.ts';
import { listTriggers } from '../triggers/of-namespace.ts';
import { functionAnswer, toFunctionAnswer } from './answer.ts';
import { type FunctionFields, functionPatch, withFields } from './fields.ts';
import { asFunction, functionRef, functionTitle } from './object.ts';
import { forgottenRebuild, keyAnnotations, readSidecar, type Sidecar } from './sidecar.ts';
import { checkKey, checkSpec } from './spec-check.ts';

export const patchFunctionRoute = operation(
  [
    'NamespaceNotFound',
    'NotFound',
    'InvalidRequest',
    'UnknownRuntime',
    'ForbiddenSource',
    'NoSuchVersion',
    'Conflict',
    'PayloadTooLarge',
    'UnsupportedMediaType',
  ],
  {
    method: 'patch',
    path: '/v1/namespaces/{ns}/functions/{name}',
    operationId: 'patchFunction',
    tags: ['functions'],
    summary: 'Changes a function: each named field is replaced whole, null brings back its default.',
    description:
      'Another `runtime` or `entrypoint` is taken whatever the code that is there, since the code for it comes by the next upload. Until then `message` says what file is missing, and the version before serves on.',
    request: {
      params: functionParams,
      body: { required: true, content: { 'application/json': { schema: functionPatch } } },
    },
    middleware: jsonBody,
    responses: { 200: json('The function as it is wanted now.', functionAnswer) },
  },
);

export function registerPatchFunction(app: ApiApp, deps: ApiDeps, options: ApiOptions): void {
  const { cluster, runtimes, store } = deps;
  app.openapi(patchFunctionRoute, async (c) => {
    const namespace = c.get('namespace');
    const { name } = c.req.valid('param');
    const fields = c.req.valid('json');
    const address = { namespace, name };
    if (fields.s3_key) await checkKey(store, address, fields.s3_key);
    const sidecar = fields.s3_key ? await readSidecar({ store, address }, fields.s3_key) : undefined;
    const object = await patchFresh(deps, {
      ref: functionRef(address),
      title: functionTitle(address),
      change: (current) => changeOf(current, fields, { deps, bucket: options.bucket, sidecar }),
    });
    const triggers = await listTriggers(cluster, namespace, name);
    return c.json(toFunctionAnswer(asFunction(object), { runtimes, triggers }), 200);
  });
}

interface ChangeContext {
  readonly deps: Pick<ApiDeps, 'runtimes'>;
  readonly bucket: string;
  readonly sidecar: Sidecar | undefined;
}

function changeOf(current: KubeObject, fields: FunctionFields, context: ChangeContext): Change | undefined {
  const before: Spec = { ...asFunction(current).spec };
  const after = { ...withFields(before, fields), ...bucketOf(fields, context.bucket) };
  checkSpec(after, context.deps.runtimes);
  const spec = mergePatchOf(before, after);
  const annotations = {
    ...codeAnnotations(current, fields, context.sidecar),
    ...replicaAnnotations(current, fields),
  };
  if (spec === undefined && Object.keys(annotations).length === 0) return undefined;
  return { spec, annotations };
}

/** The bucket comes and goes with the key. */
function bucketOf({ s3_key: key }: FunctionFields, bucket: string): Record<string, string | undefined> {
  if (key === undefined) return {};
  return { s3Bucket: key === null ? undefined : bucket };
}

function codeAnnotations(
  current: KubeObject,
  { s3_key: key }: FunctionFields,
  sidecar: Sidecar | undefined,
): Change['annotations'] {
  return key ? { ...keyAnnotations(key, sidecar), ...forgottenRebuild(asFunction(current), key) } : {};
}

/** Whoever says how many pods there shall be has taken over from a stop. */
function replicaAnnotations({ metadata }: KubeObject, { replicas }: FunctionFields): Change['annotations'] {
  const stopped = metadata.annotations?.[ANNOTATIONS.stoppedReplicas] !== undefined;
  return stopped && replicas !== undefined ? { [ANNOTATIONS.stoppedReplicas]: null } : {};
}
