import { isSlessError, SlessError } from '../../errors.ts';
import { isOwnKey, sourcePrefix } from '../../resources/function/source-key.ts';
import { KINDS } from '../../resources/kube/kinds.ts';
import { ANNOTATIONS, LABELS } from '../../resources/kube/labels.ts';
import { functionName, namespaceName } from '../../resources/kube/names.ts';
import type { KubeObject } from '../../resources/kube/object.ts';
import { bearerToken } from '../auth/bearer.ts';
import type { InternalDeps } from './deps.ts';

/** The audience of the tokens that build pods have: they are good for this service and for nothing else. */
export const AUDIENCE = 'sless-api';

/** A context that somebody asks for. */
export interface ContextRequest {
  readonly namespace: string;
  /** The Function's. */
  readonly name: string;
  readonly key: string;
  /** The header as it came. */
  readonly authorization: string | undefined;
}

/** Longer than any token of a service account, which have some 1,200 characters. */
const MAX_TOKEN_LENGTH = 8192;
const SUBJECT = /^system:serviceaccount:(?<namespace>[^:]+):[^:]+$/;

/**
 * Lets a build's pod have the context of its own build, and nothing else.
 *
 * @throws SlessError `InvalidRequest`, `Unauthenticated`, `Forbidden`, `ForbiddenSource`, `NotFound` (no such Function),
 *   `Unavailable` (it cannot be found out now)
 */
export async function authorize(
  { cluster, tokens }: Pick<InternalDeps, 'cluster' | 'tokens'>,
  request: ContextRequest,
): Promise<void> {
  const { namespace, name, key } = request;
  if (!namespaceName.safeParse(namespace).success || !functionName.safeParse(name).success)
    throw new SlessError('InvalidRequest', 'ask for /internal/contexts/{namespace}/{function}?key={s3Key}');
  await requireOwner(tokens, request);
  if (!isOwnKey(request, key))
    throw new SlessError('ForbiddenSource', `the key must be one below ${sourcePrefix(request)}`);
  if (await isWanted(cluster, request)) return;
  throw new SlessError('Forbidden', `neither the function ${name} nor a build of it asks for ${key}`);
}

/** The namespace in the token is the one whose code is asked for. */
async function requireOwner(tokens: InternalDeps['tokens'], request: ContextRequest): Promise<void> {
  const token = bearerToken(request.authorization);
  const reviewed =
    token.length > MAX_TOKEN_LENGTH ? undefined : await answered(tokens.review(token, AUDIENCE));
  if (reviewed === undefined)
    throw new SlessError('Unauthenticated', `the token is not a good one of audience ${AUDIENCE}`);
  const owner = SUBJECT.exec(reviewed.username)?.groups?.namespace;
  if (owner !== request.namespace)
    throw new SlessError('Forbidden', `the token is not of a service account in ${request.namespace}`);
}

/** What the Function wants now, or what a build of it was begun for before that changed. */
async function isWanted(
  cluster: InternalDeps['cluster'],
  { namespace, name, key }: ContextRequest,
): Promise<boolean> {
  const object = await answered(cluster.get({ kind: KINDS.Function, namespace, name }));
  if (object === undefined) throw new SlessError('NotFound', `there is no function ${name} in ${namespace}`);
  if ((object.spec as { readonly s3Key?: string } | undefined)?.s3Key === key) return true;
  const labels = { [LABELS.component]: 'build', [LABELS.function]: name };
  // A Function has one build at a time, and its last one: never near a page.
  const { items } = await answered(cluster.list({ kind: KINDS.Job, namespace, labels }));
  return items.some((job: KubeObject) => job.metadata.annotations?.[ANNOTATIONS.builtKey] === key);
}

/** What is refused to sless itself is not the asker's fault: the administrator mends it, and another try succeeds. */
async function answered<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (cause) {
    const why = isSlessError(cause) ? cause.message : 'it failed';
    throw new SlessError('Unavailable', `the cluster cannot be asked: ${why}`, { cause });
  }
}
