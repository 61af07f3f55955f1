import { snakeField } from '../answer/snake-case.ts';

export type Spec = Readonly<Record<string, unknown>>;

/**
 * Makes the function that puts named fields of REST into a spec with these fields: each is replaced whole, `null` takes
 * it out, so that its default holds, and what is not named stays.
 */
export function fieldWriter(specFields: readonly string[]): (before: Spec, fields: Spec) => Spec {
  const specNames = new Map(specFields.map((name) => [snakeField(name), name]));
  return (before, fields) => {
    const named = Object.entries(fields)
      .filter(([, value]) => value !== undefined)
      .map(([field, value]) => [specNames.get(field) ?? field, value] as const);
    const merged = { ...before, ...Object.fromEntries(named) };
    return Object.fromEntries(Object.entries(merged).filter(([, value]) => value !== null));
  };
}
