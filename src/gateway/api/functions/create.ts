import { KINDS } from '../../../resources/kube/kinds.ts';
import { json, operation } from '../answer/operation.ts';
import { createObject } from '../create-object.ts';
import type { ApiApp, ApiDeps, ApiOptions } from '../deps.ts';
import { jsonBody } from '../request/json-body.ts';
import { namespaceParams } from '../request/params.ts';
import { listTriggers } from '../triggers/of-namespace.ts';
import { functionAnswer, toFunctionAnswer } from './answer.ts';
import { functionCreate, withFields } from './fields.ts';
import { asFunction, type FunctionAddress, functionTitle } from './object.ts';
import { keyAnnotations, readSidecar } from './sidecar.ts';
import { checkKey, checkSpec } from './spec-check.ts';

export const createFunctionRoute = operation(
  [
    'NamespaceNotFound',
    'InvalidRequest',
    'UnknownRuntime',
    'ForbiddenSource',
    'NoSuchVersion',
    'AlreadyExists',
    'Conflict',
    'PayloadTooLarge',
    'UnsupportedMediaType',
  ],
  {
    method: 'post',
    path: '/v1/namespaces/{ns}/functions',
    operationId: 'createFunction',
    tags: ['functions'],
    summary: 'Declares a function. It waits for code until the first upload.',
    request: {
      params: namespaceParams,
      body: { required: true, content: { 'application/json': { schema: functionCreate } } },
    },
    middleware: jsonBody,
    responses: { 201: json('The function is declared.', functionAnswer) },
  },
);

export function registerCreateFunction(app: ApiApp, deps: ApiDeps, options: ApiOptions): void {
  const { cluster, runtimes } = deps;
  app.openapi(createFunctionRoute, async (c) => {
    const namespace = c.get('namespace');
    const { name, ...fields } = c.req.valid('json');
    const spec = checkSpec(withFields({}, fields), runtimes);
    const source = await sourceOf(deps, options, { namespace, name, key: fields.s3_key ?? undefined });
    const { apiVersion, kind } = KINDS.Function;
    const metadata = { name, namespace, annotations: source.annotations };
    const wanted = { apiVersion, kind, metadata, spec: { ...spec, ...source.spec } };
    const object = await createObject(cluster, wanted, functionTitle({ name }));
    const triggers = await listTriggers(cluster, namespace, name);
    return c.json(toFunctionAnswer(asFunction(object), { runtimes, triggers }), 201);
  });
}

interface NamedKey extends FunctionAddress {
  readonly key: string | undefined;
}

/** Code that was stored before, by an upload with `patch=false` or for a function of this name that was deleted. */
async function sourceOf(
  { store }: Pick<ApiDeps, 'store'>,
  { bucket }: Pick<ApiOptions, 'bucket'>,
  { key, ...address }: NamedKey,
): Promise<{ annotations: Record<string, string>; spec: Record<string, string> }> {
  if (key === undefined) return { annotations: {}, spec: {} };
  await checkKey(store, address, key);
  const annotations = keyAnnotations(key, await readSidecar({ store, address }, key));
  return { annotations: withoutNulls(annotations), spec: { s3Bucket: bucket } };
}

function withoutNulls(annotations: Readonly<Record<string, string | null>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(annotations).flatMap(([name, value]) => (value === null ? [] : [[name, value]])),
  );
}
