/** Values that differ from run to run, by the last step of their path. */
const VARYING = new Set([
  'uid',
  'resourceVersion',
  'creationTimestamp',
  'deletionTimestamp',
  'time',
  'clusterIP',
  'controller-uid',
  'batch.kubernetes.io/controller-uid',
]);

/**
 * The object with every value that no two servers share replaced by `*`. Of the managers only those who apply are
 * kept: what the others own beyond the fields that they changed (each map itself, too) changes no result.
 */
export function normalForm(value: unknown, key = ''): unknown {
  if (VARYING.has(key) && value !== 'None') return '*';
  if (key === 'clusterIPs') return ['*'];
  if (key === 'managedFields') return (value as Manager[]).filter(applies).map(ownedBy).sort(byName);
  if (Array.isArray(value)) return value.map((item) => normalForm(item));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([name, member]) => [name, normalForm(member, name)]));
}

interface Manager {
  readonly manager: string;
  readonly operation: string;
  readonly fieldsV1: unknown;
}

const applies = ({ operation }: Manager) => operation === 'Apply';
const byName = (a: { manager: string }, b: { manager: string }) => (a.manager < b.manager ? -1 : 1);
const ownedBy = ({ manager, fieldsV1 }: Manager) => ({ manager, fieldsV1 });
