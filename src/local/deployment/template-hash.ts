import { shortHash } from '../../resources/kube/hash.ts';
import type { PodTemplate } from '../pod/pod-spec.ts';

/** Names a version of a pod template. The order of members, which merges may change, makes no difference. */
export function templateHash(template: PodTemplate): string {
  return shortHash(JSON.stringify(sorted(template))).slice(0, 10);
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, member]) => [key, sorted(member)]),
  );
}
