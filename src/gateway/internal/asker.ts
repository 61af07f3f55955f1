import { isSlessError, SlessError } from '../../errors.ts';
import type { ReviewedToken } from '../../ports/token-review.ts';
import { isOwnKey, sourcePrefix } from '../../resources/function/source-key.ts';
import { KINDS } from '../../resources/kube/kinds.ts';
import { ANNOTATIONS, LABELS } from '../../resources/kube/labels.ts';
import { functionName, namespaceName } from '../../resources/kube/names.ts';
import { annotationOf, controllerOf, type KubeObject } from '../../resources/kube/object.ts';
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
 * Lets a build's pod have the context of its own build, and nothing else. A token that was made for no pod in particular
 * is good for what the namespace's builds may have: where such tokens are given out, the namespace is the border.
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
  const { podUid } = await requireOwner(tokens, request);
  if (!isOwnKey(request, key))
    throw new SlessError('ForbiddenSource', `the key must be one below ${sourcePrefix(request)}`);
  const object = await answered(cluster.get({ kind: KINDS.Function, namespace, name }));
  if (object === undefined) throw new SlessError('NotFound', `there is no function ${name} in ${namespace}`);
  const builds = await partsOfBuilds(cluster, request, KINDS.Job);
  if (podUid === undefined) return requireWanted(request, object, builds);
  const pods = await partsOfBuilds(cluster, request, KINDS.Pod);
  requireOwnBuild(request, { builds, pods, podUid });
}

/** The namespace in the token is the one whose code is asked for. */
async function requireOwner(tokens: InternalDeps['tokens'], request: ContextRequest): Promise<ReviewedToken> {
  const token = bearerToken(request.authorization);
  const reviewed =
    token.length > MAX_TOKEN_LENGTH ? undefined : await answered(tokens.review(token, AUDIENCE));
  if (reviewed === undefined)
    throw new SlessError('Unauthenticated', `the token is not a good one of audience ${AUDIENCE}`);
  const owner = SUBJECT.exec(reviewed.username)?.groups?.namespace;
  if (owner !== request.namespace)
    throw new SlessError('Forbidden', `the token is not of a service account in ${request.namespace}`);
  return reviewed;
}

/** What the Function wants now, or what a build of it was begun for before that changed. */
function requireWanted(
  { name, key }: ContextRequest,
  object: KubeObject,
  builds: readonly KubeObject[],
): void {
  const isWanted = (object.spec as { readonly s3Key?: string } | undefined)?.s3Key === key;
  if (isWanted || builds.some((job) => annotationOf(job, ANNOTATIONS.builtKey) === key)) return;
  throw new SlessError('Forbidden', `neither the function ${name} nor a build of it asks for ${key}`);
}

/** The pod is one of a Job, and the Job builds this key. */
function requireOwnBuild(
  { name, key }: ContextRequest,
  { builds, pods, podUid }: { builds: readonly KubeObject[]; pods: readonly KubeObject[]; podUid: string },
): void {
  const pod = pods.find(({ metadata }) => metadata.uid === podUid);
  const owner = pod === undefined ? undefined : controllerOf(pod)?.uid;
  const job = builds.find(({ metadata }) => metadata.uid === owner);
  if (owner !== undefined && annotationOf(job, ANNOTATIONS.builtKey) === key) return;
  throw new SlessError('Forbidden', `the token's pod does not build ${key} of the function ${name}`);
}

/** A Function has one build at a time, and its last one: never near a page, nor are their pods. */
async function partsOfBuilds(
  cluster: InternalDeps['cluster'],
  { namespace, name }: ContextRequest,
  kind: typeof KINDS.Job,
): Promise<readonly KubeObject[]> {
  const labels = { [LABELS.component]: 'build', [LABELS.function]: name };
  return (await answered(cluster.list({ kind, namespace, labels }))).items;
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
