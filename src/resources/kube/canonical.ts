/** The members of an object that are not `undefined`; its type says so too. */
export type Defined<T> = { [K in keyof T]: Exclude<T[K], undefined> };

/** The same object without members that are `undefined`. Nothing that a hook answers may hold an empty place. */
export function withoutUndefined<T extends object>(object: T): Partial<Defined<T>> {
  const kept = Object.entries(object).filter(([, value]) => value !== undefined);
  // Object.fromEntries forgets the type; the filter above is what Defined says.
  return Object.fromEntries(kept) as Partial<Defined<T>>;
}

/** A copy of a JSON value without its nulls and empty places. In a list a null goes too. */
export function withoutNulls<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  const isThere = (member: unknown): boolean => member !== null && member !== undefined;
  // The shape is the same but for what was no value.
  if (Array.isArray(value)) return value.filter(isThere).map(withoutNulls) as T;
  const kept = Object.entries(value).filter(([, member]) => isThere(member));
  return Object.fromEntries(kept.map(([name, member]) => [name, withoutNulls(member)])) as T;
}
