import type { KubeObject } from '../../src/resources/kube/object.ts';

/** What Flux, `cli-utils` and others that follow kstatus take an object for. */
export type KStatus = 'InProgress' | 'Failed' | 'Current' | 'Terminating';

interface Status {
  readonly observedGeneration?: number;
  readonly conditions?: readonly { readonly type: string; readonly status: string }[];
}

/** The rules of kstatus for kinds that it does not know, in its order. */
export function kstatus({ metadata, status }: KubeObject): KStatus {
  const { observedGeneration, conditions = [] } = (status ?? {}) as Status;
  const is = (type: string) => conditions.find((condition) => condition.type === type)?.status;
  if (metadata.deletionTimestamp !== undefined) return 'Terminating';
  if (observedGeneration !== undefined && observedGeneration !== metadata.generation) return 'InProgress';
  if (is('Reconciling') === 'True') return 'InProgress';
  if (is('Stalled') === 'True') return 'Failed';
  // Without a Ready nothing says that it is not done.
  const ready = is('Ready');
  return ready === undefined || ready === 'True' ? 'Current' : 'InProgress';
}
