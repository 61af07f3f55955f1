import { isJsonObject } from './merge-patch.ts';
import { memberShape, type Shape } from './shape.ts';

/** A member of an object, or an item of a list. */
export interface Part {
  readonly value: unknown;
  readonly shape: Shape | undefined;
}

/** The parts that a value of that shape is made of, each by the path step that names it; `undefined` for what has no parts. */
export function partsOf(value: unknown, shape: Shape | undefined): Map<string, Part> | undefined {
  if (Array.isArray(value))
    return shape?.type === 'list' || shape?.type === 'set' ? items(value, shape) : undefined;
  if (!isJsonObject(value) || shape?.type === 'atomic') return undefined;
  const entries = Object.entries(value);
  return new Map(
    entries.map(([key, member]) => [`f:${key}`, { value: member, shape: memberShape(shape, key) }] as const),
  );
}

function items(list: readonly unknown[], shape: Shape & { type: 'list' | 'set' }): Map<string, Part> {
  if (shape.type === 'set') {
    return new Map(list.map((value) => [`v:${JSON.stringify(value)}`, { value, shape: undefined }]));
  }
  return new Map(
    list.map((value) => {
      const item = isJsonObject(value) ? value : {};
      const keys = shape.keys.map(({ name, absent }) => [name, item[name] ?? absent ?? null] as const);
      return [
        `k:${JSON.stringify(Object.fromEntries(keys.sort(([a], [b]) => (a < b ? -1 : 1))))}`,
        { value, shape: shape.item },
      ];
    }),
  );
}
