import { isDeepStrictEqual } from 'node:util';
import type { Cluster } from '../ports/cluster.ts';
import { KINDS } from '../resources/kube/kinds.ts';
import { LABELS } from '../resources/kube/labels.ts';
import { type KubeObject, labelOf } from '../resources/kube/object.ts';

/** What became of a copy. `foreign`: somebody else has put a Secret of that name there, and it stays. */
export type Copied = 'created' | 'changed' | 'same' | 'foreign' | 'another type';

/**
 * Makes the Secret in a namespace as the source is. A Secret of that name that is not ours is a team's own login, and is theirs to keep;
 * the type of a Secret is for life, so one of another type is left too.
 *
 * @throws SlessError as the cluster does; `Forbidden` until the namespace has received the api's right
 */
export async function copySecret(
  cluster: Pick<Cluster, 'get' | 'create' | 'patch'>,
  source: KubeObject,
  namespace: string,
): Promise<Copied> {
  const { name } = source.metadata;
  const ref = { kind: KINDS.Secret, namespace, name };
  const found = await cluster.get(ref);
  const data = dataOf(source);
  if (found === undefined) {
    await cluster.create(copyOf(source, namespace));
    return 'created';
  }
  if (labelOf(found, LABELS.managedBy) !== 'sless') return 'foreign';
  if (found.type !== source.type) return 'another type';
  if (isDeepStrictEqual(dataOf(found), data)) return 'same';
  const gone = Object.keys(dataOf(found)).filter((key) => !Object.hasOwn(data, key));
  await cluster.patch(ref, { data: { ...Object.fromEntries(gone.map((key) => [key, null])), ...data } });
  return 'changed';
}

/** Labels and annotations of the source are about the source, and so are not copied. */
function copyOf(source: KubeObject, namespace: string): KubeObject {
  const { apiVersion, kind } = KINDS.Secret;
  const { name } = source.metadata;
  const metadata = { name, namespace, labels: { [LABELS.managedBy]: 'sless' } };
  return { apiVersion, kind, metadata, type: source.type, data: dataOf(source) };
}

function dataOf({ data }: KubeObject): Readonly<Record<string, unknown>> {
  return typeof data === 'object' && data !== null ? { ...data } : {};
}
