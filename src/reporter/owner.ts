import { KINDS, type Kind } from '../resources/kube/kinds.ts';
import { controllerOf, type KubeObject } from '../resources/kube/object.ts';

/** The Job or Deployment whose pod it is. */
export interface Owner {
  readonly kind: Kind;
  readonly namespace: string;
  readonly name: string;
  /** Of a Job. A Deployment is found by its name alone. */
  readonly uid?: string;
}

/** The label by which a ReplicaSet tells its pods apart; its own name is its Deployment's, a dash and this value. */
const TEMPLATE_HASH = 'pod-template-hash';

/**
 * Whom a finding about this pod belongs to. A Deployment's pods belong to a ReplicaSet, whose name says which Deployment:
 * nothing has to be looked up. In local mode they belong to the Deployment itself.
 */
export function ownerOf(pod: KubeObject): Owner | undefined {
  const { namespace = '', labels = {} } = pod.metadata;
  const owner = controllerOf(pod);
  if (owner?.kind === 'Job') return { kind: KINDS.Job, namespace, name: owner.name, uid: owner.uid };
  if (owner?.kind === 'Deployment') return { kind: KINDS.Deployment, namespace, name: owner.name };
  const suffix = `-${labels[TEMPLATE_HASH]}`;
  if (owner?.kind !== 'ReplicaSet' || !owner.name.endsWith(suffix)) return undefined;
  return { kind: KINDS.Deployment, namespace, name: owner.name.slice(0, -suffix.length) };
}
