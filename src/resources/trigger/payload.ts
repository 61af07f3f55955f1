import { shortHash } from '../kube/hash.ts';
import { KINDS } from '../kube/kinds.ts';
import type { KubeObject } from '../kube/object.ts';
import type { Cron } from './cron.ts';
import { cronLabels } from './cron.ts';

/** The key under which the ConfigMap holds it, and the name of its file in the pod. */
export const PAYLOAD_FILE = 'payload.json';

/** Its name carries a hash of the Trigger's uid, so that it is nobody else's ConfigMap. */
export function payloadName({ trigger, triggerUid }: Pick<Cron, 'trigger' | 'triggerUid'>): string {
  return `${trigger}-p-${shortHash(triggerUid)}`;
}

/**
 * The ConfigMap with what a cron Trigger posts: a file needs no escaping, and may be longer than an argument. As base64, because Metacontroller keeps a copy of it as JSON in an annotation, in which
 * some characters take six times their room.
 */
export function buildPayload(cron: Cron): KubeObject {
  const { namespace, payload } = cron;
  return {
    apiVersion: KINDS.ConfigMap.apiVersion,
    kind: KINDS.ConfigMap.kind,
    metadata: { name: payloadName(cron), namespace, labels: cronLabels(cron) },
    binaryData: { [PAYLOAD_FILE]: Buffer.from(payload).toString('base64') },
  };
}
