import { randomBytes } from 'node:crypto';
import { KINDS } from '../../resources/kube/kinds.ts';
import type { KubeObject } from '../../resources/kube/object.ts';
import type { PodTemplate } from './pod-spec.ts';

/** The label of a Deployment's Pod that says of which version of the template it is. */
export const TEMPLATE_HASH = 'pod-template-hash';

/**
 * A Pod made from the template of its owner, which is a Job or, since local mode has no ReplicaSets, a Deployment.
 * `infix` stands between the owner's name and a random ending.
 */
export function podObject(owner: KubeObject, template: PodTemplate, infix?: string): KubeObject {
  const { name, namespace = '', uid = '' } = owner.metadata;
  const ending = randomBytes(3).toString('hex').slice(0, 5);
  return {
    apiVersion: KINDS.Pod.apiVersion,
    kind: KINDS.Pod.kind,
    metadata: {
      name: [name, infix, ending].filter((part) => part !== undefined).join('-'),
      namespace,
      labels: {
        ...template.metadata?.labels,
        ...(infix === undefined ? {} : { [TEMPLATE_HASH]: infix }),
      },
      annotations: { ...template.metadata?.annotations },
      ownerReferences: [
        {
          apiVersion: owner.apiVersion,
          kind: owner.kind,
          name,
          uid,
          controller: true,
          blockOwnerDeletion: true,
        },
      ],
    },
    spec: { ...template.spec, nodeName: 'local' },
  };
}
