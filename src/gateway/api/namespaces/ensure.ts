import { z } from '@hono/zod-openapi';
import { isSlessError, SlessError } from '../../../errors.ts';
import type { Cluster } from '../../../ports/cluster.ts';
import { KINDS } from '../../../resources/kube/kinds.ts';
import { LABELS } from '../../../resources/kube/labels.ts';
import type { KubeObject } from '../../../resources/kube/object.ts';
import { json, operation } from '../answer/operation.ts';
import type { ApiApp, ApiDeps } from '../deps.ts';
import { isTenant, notEnabled, requireTenant } from '../request/access.ts';
import { namespaceParams } from '../request/params.ts';

const ensured = z
  .object({
    namespace: z.string().describe('The namespace of the token.'),
    status: z.enum(['created', 'exists']).describe('What was done, or found.'),
  })
  .openapi('EnsuredNamespace', { example: { namespace: 'sless-2bd806c97f0e00af', status: 'created' } });

export const ensureRoute = operation(['NamespaceNotEnabled', 'NamespaceNotFound', 'Conflict'], {
  method: 'post',
  path: '/v1/namespaces/{ns}/ensure',
  operationId: 'ensureNamespace',
  tags: ['namespaces'],
  summary: 'Makes the namespace of the token, if it is not there yet.',
  request: { params: namespaceParams },
  responses: { 200: json('It was there.', ensured), 201: json('It was made.', ensured) },
});

/** The only place that creates a namespace, and only its owner's. None is ever deleted. */
export function registerEnsure(app: ApiApp, { cluster }: Pick<ApiDeps, 'cluster'>): void {
  app.openapi(ensureRoute, async (c) => {
    const namespace = c.get('namespace');
    const isOwn = namespace === c.get('identity').namespace;
    if (!isOwn) await requireTenant(cluster, namespace, isOwn);
    const created = isOwn && (await createNamespace(cluster, namespace));
    if (!created) requireUsable(namespace, await cluster.get({ kind: KINDS.Namespace, name: namespace }));
    return created
      ? c.json({ namespace, status: 'created' as const }, 201)
      : c.json({ namespace, status: 'exists' as const }, 200);
  });
}

/** Creating first and looking after decides a race: exactly one of many callers is told that it created. */
async function createNamespace(cluster: Cluster, name: string): Promise<boolean> {
  const { apiVersion, kind } = KINDS.Namespace;
  const labels = {
    [LABELS.managedBy]: 'sless',
    // The strictest level that lets builds with a Dockerfile run: their builder is root in its container.
    [LABELS.podSecurity]: 'baseline',
    [LABELS.tenant]: 'true',
  };
  try {
    await cluster.create({ apiVersion, kind, metadata: { name, labels } });
    return true;
  } catch (error) {
    if (isSlessError(error, 'AlreadyExists')) return false;
    throw error;
  }
}

/** A namespace without the label was taken out of service, or was never meant for us: the tenant cannot undo that. */
function requireUsable(name: string, namespace: KubeObject | undefined): void {
  if (namespace === undefined || namespace.metadata.deletionTimestamp !== undefined)
    throw new SlessError('Conflict', `the namespace ${name} is being deleted; try again when it is gone`, {
      retryAfterSeconds: 5,
    });
  if (!isTenant(namespace)) throw notEnabled(name);
}
