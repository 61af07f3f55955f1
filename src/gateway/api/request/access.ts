import type { Context, MiddlewareHandler } from 'hono';
import { isSlessError, SlessError } from '../../../errors.ts';
import type { AccessQuestion, AccessReview } from '../../../ports/access-review.ts';
import type { Cluster } from '../../../ports/cluster.ts';
import { KINDS } from '../../../resources/kube/kinds.ts';
import { LABELS } from '../../../resources/kube/labels.ts';
import { namespaceName } from '../../../resources/kube/names.ts';
import type { KubeObject } from '../../../resources/kube/object.ts';
import type { Authenticator } from '../../auth/authenticator.ts';
import { bearerToken } from '../../auth/bearer.ts';
import type { ApiDeps, ApiEnv } from '../deps.ts';
import { wishOf } from './question.ts';

/** No token, no answer: whatever the path. */
export function authenticated(authenticator: Authenticator): MiddlewareHandler<ApiEnv> {
  return async (c, next) => {
    const identity = await authenticator.authenticate(bearerToken(c.req.header('authorization')));
    c.set('identity', identity);
    c.set('logger', c.get('logger').child({ namespace: identity.namespace }));
    await next();
  };
}

/**
 * A subject's routes are those of its own namespace; of another one only where the cluster's authorization is asked and
 * says yes.
 */
export function allowedNamespace({ access }: Pick<ApiDeps, 'access'>): MiddlewareHandler<ApiEnv> {
  return async (c, next) => {
    const namespace = c.req.param('ns') ?? '';
    if (namespace !== c.get('identity').namespace) await requireAllowed(access, c, namespace);
    c.set('namespace', namespace);
    await next();
  };
}

/** Kubernetes' own users, such as its controllers and service accounts. No issuer of tokens but itself may name them. */
const RESERVED = 'system:';

async function requireAllowed(
  access: AccessReview | undefined,
  c: Context<ApiEnv>,
  namespace: string,
): Promise<void> {
  const { subject, namespace: own } = c.get('identity');
  const refused = (why = ''): SlessError =>
    new SlessError('Forbidden', `this token is for the namespace ${own}${why}`);
  if (access === undefined) throw refused();
  const { method, path } = c.req;
  const wish = wishOf(method, path.split('/').slice(4).join('/'));
  const isAskable =
    wish !== undefined && namespaceName.safeParse(namespace).success && !subject.startsWith(RESERVED);
  if (!isAskable) throw refused();
  if (!(await asked(access, { user: subject, namespace, ...wish })))
    throw refused(`, and its subject may not ${wish.verb} ${wish.resource}.sless.dev in ${namespace}`);
}

/** That sless may not ask is the administrator's to mend; the caller has done nothing forbidden. */
async function asked(access: AccessReview, question: AccessQuestion): Promise<boolean> {
  try {
    return await access.allows(question);
  } catch (cause) {
    if (isSlessError(cause, 'Unavailable')) throw cause;
    throw new SlessError('Unavailable', 'the cluster cannot be asked who may do what', { cause });
  }
}

/** Everything but `ensure` needs a namespace that is there and enabled. */
export function enabledNamespace(cluster: Cluster): MiddlewareHandler<ApiEnv> {
  return async (c, next) => {
    const name = c.get('namespace');
    const isEnsure = c.req.path.endsWith(`/namespaces/${name}/ensure`);
    if (!isEnsure) await requireTenant(cluster, name, name === c.get('identity').namespace);
    await next();
  };
}

/** @throws SlessError `NamespaceNotFound` or `NamespaceNotEnabled`. */
export async function requireTenant(cluster: Cluster, name: string, isOwn: boolean): Promise<void> {
  const namespace = await cluster.get({ kind: KINDS.Namespace, name });
  const remedy = isOwn
    ? `there is no namespace ${name} yet: POST /v1/namespaces/${name}/ensure makes it`
    : `there is no namespace ${name}`;
  if (namespace === undefined) throw new SlessError('NamespaceNotFound', remedy);
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
