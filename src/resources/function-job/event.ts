import { KINDS } from '../kube/kinds.ts';
import type { KubeObject } from '../kube/object.ts';
import { eventName, type Run, runAnnotations, runLabels } from './run.ts';

/** The key under which the ConfigMap holds it, and the name of its file in the pod. */
export const EVENT_FILE = 'event.json';

/**
 * The ConfigMap with a run's event: the pod does not begin without it. As base64, because Metacontroller keeps a copy of it as JSON in an
 * annotation, in which some characters take six times their room.
 */
export function buildEvent(run: Run, eventJSON: string): KubeObject {
  return {
    apiVersion: KINDS.ConfigMap.apiVersion,
    kind: KINDS.ConfigMap.kind,
    metadata: {
      name: eventName(run),
      namespace: run.namespace,
      labels: runLabels(run),
      annotations: runAnnotations(run),
    },
    binaryData: { [EVENT_FILE]: Buffer.from(eventJSON).toString('base64') },
  };
}
