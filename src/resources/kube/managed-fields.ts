import { controllerOf, type KubeObject } from './object.ts';

/** A set of fields as `managedFields` has it (FieldsV1): names behind `f:`, keys of list items behind `k:`, values of sets behind `v:`. */
type Fields = Readonly<Record<string, unknown>>;

const isMap = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * The fields that the controller of an object has applied: those of the one manager that applied the owner reference to it. Its name is a
 * setting of Metacontroller's. Nothing where that was not done by server-side apply.
 */
export function appliedByController(object: KubeObject): Fields | undefined {
  const owner = JSON.stringify({ uid: controllerOf(object)?.uid });
  return (object.metadata.managedFields ?? [])
    .filter(isMap)
    .filter(({ operation, subresource }) => operation === 'Apply' && subresource === undefined)
    .map(({ fieldsV1 }) => fieldsV1)
    .filter(isMap)
    .find((fields) => isMap(at(fields, 'f:metadata', 'f:ownerReferences', `k:${owner}`)));
}

const at = (fields: Fields, ...path: readonly string[]): unknown =>
  path.reduce<unknown>((found, name) => (isMap(found) ? found[name] : undefined), fields);

/**
 * Of a value what a set of fields names, in the value's own order.
 * Rule: https://kubernetes.io/docs/reference/using-api/server-side-apply/#field-management
 *
 * @param fields without members: the value whole, as of a scalar or what is only ever applied whole
 */
export function ownedPart(value: unknown, fields: Fields): unknown {
  if (Object.keys(fields).length === 0) return value;
  if (Array.isArray(value)) return value.flatMap((item) => ownedItem(item, fields));
  if (!isMap(value)) return value;
  const owned = Object.entries(value).flatMap(([name, member]) => {
    const below = fields[`f:${name}`];
    return isMap(below) ? [[name, ownedPart(member, below)]] : [];
  });
  return Object.fromEntries(owned);
}

/** An item of a list by its key, or of a set by its value; nothing for what another manager put there. */
function ownedItem(item: unknown, fields: Fields): unknown[] {
  const found = Object.entries(fields).find(([name]) => isNamedBy(item, name));
  if (found === undefined || !isMap(found[1])) return [];
  return [ownedPart(item, found[1])];
}

function isNamedBy(item: unknown, name: string): boolean {
  const wanted = parsed(name.slice(2));
  if (name.startsWith('v:')) return item === wanted;
  if (!name.startsWith('k:') || !isMap(item) || !isMap(wanted)) return false;
  return Object.entries(wanted).every(([key, value]) => item[key] === value);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
