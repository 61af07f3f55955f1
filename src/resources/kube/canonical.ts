/** The members of an object that are not `undefined`; its type says so too. */
export type Defined<T> = { [K in keyof T]: Exclude<T[K], undefined> };

/** The same object without members that are `undefined`. Nothing that a hook answers may hold an empty place. */
export function withoutUndefined<T extends object>(object: T): Partial<Defined<T>> {
  const kept = Object.entries(object).filter(([, value]) => value !== undefined);
  // Object.fromEntries forgets the type; the filter above is what Defined says.
  return Object.fromEntries(kept) as Partial<Defined<T>>;
}
