/**
 * Metacontroller's own merge of dynamic-apply, as `docs` and observation describe it: three ways, maps by key, lists of objects by the
 * first of these keys that all their items have, every other list whole.
 */
const LIST_KEYS = ['containerPort', 'port', 'mountPath', 'name', 'uid', 'ip', 'path'] as const;

type Json = Record<string, unknown>;

const isMap = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export function dynamicMerge(observed: unknown, last: unknown, desired: unknown): unknown {
  if (isMap(desired) && isMap(observed)) return mergeMaps(observed, isMap(last) ? last : {}, desired);
  if (Array.isArray(desired) && Array.isArray(observed)) {
    const lastItems = Array.isArray(last) ? last : [];
    const key = listKey([...observed, ...lastItems, ...desired]);
    return key === undefined ? desired : mergeLists({ observed, last: lastItems, desired, key });
  }
  return desired;
}

function mergeMaps(observed: Json, last: Json, desired: Json): Json {
  const result: Json = { ...observed };
  for (const key of Object.keys(last)) if (!(key in desired)) delete result[key];
  for (const [key, value] of Object.entries(desired)) {
    result[key] = dynamicMerge(observed[key], last[key], value);
  }
  return result;
}

function listKey(items: readonly unknown[]): string | undefined {
  return LIST_KEYS.find((key) => items.every((item) => isMap(item) && key in item));
}

interface Lists {
  readonly observed: readonly unknown[];
  readonly last: readonly unknown[];
  readonly desired: readonly unknown[];
  readonly key: string;
}

/** In the order of what is observed; what is new comes last. */
function mergeLists({ observed, last, desired, key }: Lists): unknown[] {
  const byKey = (items: readonly unknown[]): Map<unknown, Json> =>
    new Map((items as Json[]).map((item) => [item[key], item]));
  const [was, before, wanted] = [byKey(observed), byKey(last), byKey(desired)];
  const kept = [...was].filter(([id]) => wanted.has(id) || !before.has(id));
  const updated = kept.map(([id, item]) =>
    wanted.has(id) ? dynamicMerge(item, before.get(id), wanted.get(id)) : item,
  );
  return [...updated, ...[...wanted].filter(([id]) => !was.has(id)).map(([, item]) => item)];
}
