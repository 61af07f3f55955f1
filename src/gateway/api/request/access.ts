import type { MiddlewareHandler } from 'hono';
import { SlessError } from '../../../errors.ts';
import type { Cluster } from '../../../ports/cluster.ts';
import { KINDS } from '../../../resources/kube/kinds.ts';
import { LABELS } from '../../../resources/kube/labels.ts';
import type { KubeObject } from '../../../resources/kube/object.ts';
import type { Authenticator } from '../../auth/authenticator.ts';
import { bearerToken } from '../../auth/bearer.ts';
import type { ApiEnv } from '../deps.ts';

/** No token, no answer: whatever the path. */
export function authenticated(authenticator: Authenticator): MiddlewareHandler<ApiEnv> {
  return async (c, next) => {
    const identity = await authenticator.authenticate(bearerToken(c.req.header('authorization')));
    c.set('identity', identity);
    c.set('logger', c.get('logger').child({ namespace: identity.namespace }));
    await next();
  };
}

/** A subject's routes are those of its own namespace. */
export const ownNamespace: MiddlewareHandler<ApiEnv> = async (c, next) => {
  const own = c.get('identity').namespace;
  if (c.req.param('ns') !== own) throw new SlessError('Forbidden', `this token is for the namespace ${own}`);
  await next();
};

/** Everything but `ensure` needs a namespace that is there and enabled. */
export function enabledNamespace(cluster: Cluster): MiddlewareHandler<ApiEnv> {
  return async (c, next) => {
    const name = c.get('identity').namespace;
    const isEnsure = c.req.path.endsWith(`/namespaces/${name}/ensure`);
    if (!isEnsure) requireTenant(name, await cluster.get({ kind: KINDS.Namespace, name }));
    await next();
  };
}

/** @throws SlessError `NamespaceNotFound` or `NamespaceNotEnabled`. */
function requireTenant(name: string, namespace: KubeObject | undefined): void {
  if (namespace === undefined)
    throw new SlessError(
      'NamespaceNotFound',
      `there is no namespace ${name} yet: POST /v1/namespaces/${name}/ensure makes it`,
    );
  if (!isTenant(namespace)) throw notEnabled(name);
}

/** Whether sless acts on what lies in a namespace. */
export function isTenant(namespace: KubeObject): boolean {
  return namespace.metadata.labels?.[LABELS.tenant] === 'true';
}

/** For a namespace that is there without the label: only an administrator may put it on. */
export function notEnabled(name: string): SlessError {
  return new SlessError(
    'NamespaceNotEnabled',
    `the namespace ${name} is not enabled: an administrator must label it ${LABELS.tenant}=true`,
  );
}
