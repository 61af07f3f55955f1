type Json = unknown;
type JsonObject = Readonly<Record<string, Json>>;

/**
 * The JSON merge patch (RFC 7396) that turns `before` into `after`, or `undefined` when they are the same. A merge
 * patch alone would add to maps; this one also takes away what `after` does not have.
 */
export function mergePatchOf(before: JsonObject, after: JsonObject): JsonObject | undefined {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  const entries = names.flatMap((name) => {
    const change = changeOf(own(before, name), own(after, name));
    return change === undefined ? [] : [[name, change] as const];
  });
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

/** Variables may be called `toString` or `constructor`, which every object inherits. */
function own(object: JsonObject, name: string): Json {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

/** `null` takes away, `undefined` changes nothing. */
function changeOf(before: Json, after: Json): Json {
  if (after === undefined) return before === undefined ? undefined : null;
  if (isObject(before) && isObject(after)) return mergePatchOf(before, after);
  return JSON.stringify(before) === JSON.stringify(after) ? undefined : after;
}

function isObject(value: Json): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
