import { SlessError } from '../../../errors.ts';
import type { FunctionObject } from '../../../resources/function/schema.ts';
import { ANNOTATIONS } from '../../../resources/kube/labels.ts';
import { json, operation } from '../answer/operation.ts';
import type { ApiApp, ApiDeps } from '../deps.ts';
import { patchFresh } from '../fresh-patch.ts';
import { functionParams } from '../request/params.ts';
import { acceptedAnswer } from '../upload/answer.ts';
import { asFunction, type FunctionAddress, functionRef, functionTitle } from './object.ts';
import { phaseOf } from './phase.ts';

const CODES = ['NamespaceNotFound', 'NotFound', 'AwaitingCode', 'InvalidRequest', 'Conflict'] as const;

export const rebuildRoute = operation(CODES, {
  method: 'post',
  path: '/v1/namespaces/{ns}/functions/{name}/rebuild',
  operationId: 'rebuildFunction',
  tags: ['code'],
  summary: 'Builds the same code again, on the newest runtime image.',
  request: { params: functionParams },
  responses: { 202: json('The build is wanted.', acceptedAnswer) },
});

export const restartRoute = operation(CODES, {
  method: 'post',
  path: '/v1/namespaces/{ns}/functions/{name}/restart',
  operationId: 'restartFunction',
  tags: ['functions'],
  summary: 'Replaces the pods one after another, so that changed Secrets take effect.',
  request: { params: functionParams },
  responses: { 202: json('The restart is wanted.', acceptedAnswer) },
});

/** Rebuild and restart: another value of an annotation, which the hook answers. */
export function registerRenewals(app: ApiApp, deps: ApiDeps): void {
  app.openapi(rebuildRoute, async (c) => {
    const address = { namespace: c.get('namespace'), name: c.req.valid('param').name };
    return c.json(await renew(deps, address, ANNOTATIONS.rebuild), 202);
  });
  app.openapi(restartRoute, async (c) => {
    const address = { namespace: c.get('namespace'), name: c.req.valid('param').name };
    return c.json(await renew(deps, address, ANNOTATIONS.restart), 202);
  });
}

async function renew(deps: ApiDeps, address: FunctionAddress, annotation: string) {
  const value = deps.newId();
  const patched = await patchFresh(deps, {
    ref: functionRef(address),
    title: functionTitle(address),
    change: (current) => {
      requireCode(asFunction(current));
      return { annotations: { [annotation]: value } };
    },
  });
  const object = asFunction(patched);
  return { s3_key: object.spec.s3Key ?? null, ...phaseOf(object) };
}

function requireCode({ metadata, spec }: FunctionObject): void {
  if (spec.s3Key === undefined)
    throw new SlessError(
      'AwaitingCode',
      `the function ${JSON.stringify(metadata.name)} has no code yet: upload some`,
    );
}
