/**
 * Objects by their own key, found again by the group that they belong to. Changing one answers which groups changed,
 * so that only their routes are worked out again.
 */
export interface Grouped<T> {
  /** Sets, or with `undefined` removes, what is known of one object. */
  set(key: string, entry: GroupEntry<T> | undefined): string[];
  /** Replaces everything. */
  reset(entries: ReadonlyMap<string, GroupEntry<T>>): string[];
  /** The values of a group, in the order of their objects' keys. */
  of(group: string): readonly T[];
  /** All groups that have a member. */
  groups(): string[];
}

export interface GroupEntry<T> {
  readonly group: string;
  readonly value: T;
}

export function createGrouped<T>(): Grouped<T> {
  const entries = new Map<string, GroupEntry<T>>();
  const groups = new Map<string, Map<string, T>>();

  const drop = (key: string): string[] => {
    const entry = entries.get(key);
    if (entry === undefined) return [];
    entries.delete(key);
    const members = groups.get(entry.group);
    members?.delete(key);
    if (members?.size === 0) groups.delete(entry.group);
    return [entry.group];
  };

  const put = (key: string, entry: GroupEntry<T>): void => {
    entries.set(key, entry);
    const members = groups.get(entry.group) ?? new Map<string, T>();
    groups.set(entry.group, members.set(key, entry.value));
  };

  return {
    set(key, entry) {
      const changed = drop(key);
      if (entry !== undefined) put(key, entry);
      return entry === undefined || changed[0] === entry.group ? changed : [...changed, entry.group];
    },
    reset(next) {
      const before = [...groups.keys()];
      entries.clear();
      groups.clear();
      for (const [key, entry] of next) put(key, entry);
      return [...new Set([...before, ...groups.keys()])];
    },
    of(group) {
      const members = groups.get(group);
      if (members === undefined) return [];
      return [...members].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, value]) => value);
    },
    groups: () => [...groups.keys()],
  };
}
