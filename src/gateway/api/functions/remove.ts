import { z } from '@hono/zod-openapi';
import type { Cluster } from '../../../ports/cluster.ts';
import { everything } from '../../../ports/everything.ts';
import { KINDS, type Kind } from '../../../resources/kube/kinds.ts';
import { LABELS } from '../../../resources/kube/labels.ts';
import { json, operation } from '../answer/operation.ts';
import type { ApiApp, ApiDeps, ApiOptions } from '../deps.ts';
import { waitUntilGone } from '../gone.ts';
import { functionParams } from '../request/params.ts';
import { type FunctionAddress, functionRef, requireFunction } from './object.ts';

const CHILD_KINDS: readonly Kind[] = [KINDS.Deployment, KINDS.Service, KINDS.Job];

const deleting = z
  .object({ message: z.string() })
  .openapi('Deleting', { example: { message: 'deleted; its children are still going' } });

export const deleteFunctionRoute = operation(
  ['NamespaceNotFound', 'NotFound', 'InvalidRequest', 'Conflict'],
  {
    method: 'delete',
    path: '/v1/namespaces/{ns}/functions/{name}',
    operationId: 'deleteFunction',
    tags: ['functions'],
    summary: 'Deletes a function and waits until its Deployment, Service and Jobs are gone.',
    description:
      'Its triggers stay, inactive (`FunctionNotFound`), and take effect again with the next function of that name: delete them too where that is not wanted.',
    request: { params: functionParams },
    responses: {
      204: { description: 'The function and its children are gone: the name is free.' },
      202: json('The function is deleted; some of its children are still going.', deleting),
    },
  },
);

export function registerDeleteFunction(app: ApiApp, { cluster, clock }: ApiDeps, options: ApiOptions): void {
  app.openapi(deleteFunctionRoute, async (c) => {
    const address = { namespace: c.get('namespace'), name: c.req.valid('param').name };
    const { uid = '' } = (await requireFunction(cluster, address)).metadata;
    await cluster.delete(functionRef(address), { uid });
    const { signal } = c.req.raw;
    const gone = await waitUntilGone(() => isGone(cluster, address, uid), {
      clock,
      waitMs: options.deleteWaitMs,
      signal,
    });
    return gone ? c.body(null, 204) : c.json({ message: 'deleted; its children are still going' }, 202);
  });
}

/** Whether neither the object of this uid nor a child that it owns is left. */
async function isGone(cluster: Cluster, address: FunctionAddress, uid: string): Promise<boolean> {
  const object = await cluster.get(functionRef(address));
  if (object?.metadata.uid === uid) return false;
  for (const kind of CHILD_KINDS) if (await hasChild(cluster, { ...address, kind, uid })) return false;
  return true;
}

async function hasChild(
  cluster: Cluster,
  { namespace, name, kind, uid }: FunctionAddress & { readonly kind: Kind; readonly uid: string },
): Promise<boolean> {
  const items = await everything(cluster, { kind, namespace, labels: { [LABELS.function]: name } });
  return items.some(({ metadata }) => metadata.ownerReferences?.some((owner) => owner.uid === uid));
}
