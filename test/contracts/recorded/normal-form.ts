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
 * The object with every value that no two servers share replaced by `*`, and its managers in the order of their names.
 */
export function normalForm(value: unknown, key = ''): unknown {
  if (VARYING.has(key) && value !== 'None') return '*';
  if (key === 'clusterIPs') return ['*'];
  if (key === 'managedFields') return managersOf(value as Manager[]);
  if (Array.isArray(value)) return value.map((item) => normalForm(item));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([name, member]) => [name, normalForm(member, name)]));
}

/** A line of `managedFields`. */
export interface Manager {
  readonly manager: string;
  readonly operation: string;
  readonly subresource?: string;
  readonly fieldsV1: unknown;
}

/** One line a manager, in the order of their names: who, how, and every field by its path. */
export function managersOf(managers: readonly Manager[]): string[] {
  const line = ({ manager, operation, subresource = '', fieldsV1 }: Manager): string =>
    `${`${manager} ${operation} ${subresource}`.trim()}: ${pathsOf(fieldsV1, '').sort().join(' ')}`;
  return managers.map(line).sort();
}

function pathsOf(fields: unknown, prefix: string): string[] {
  const members = Object.entries((fields ?? {}) as object);
  if (members.length === 0) return [prefix];
  return members.flatMap(([step, inner]) => pathsOf(inner, `${prefix}/${step.replace(/^f:/, '')}`));
}
