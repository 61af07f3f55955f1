/**
 * How the API server merges a field: what its OpenAPI calls `x-kubernetes-list-type`, `-list-map-keys` and `-map-type`.
 * A field that has no shape merges field by field when it is an object, and is replaced whole when it is a list. The entries of a map
 * are the writers' to name, unlike fields, which are named by the kind.
 */
export type Shape =
  | { readonly type: 'fields'; readonly fields: Readonly<Record<string, Shape>> }
  | { readonly type: 'map' }
  | { readonly type: 'atomic'; readonly isMap?: true; readonly keepsEmpty?: true }
  | { readonly type: 'set' }
  | { readonly type: 'list'; readonly keys: readonly ListKey[]; readonly item?: Shape };

/** A key of a list's items, with the value that the API server fills in when it is left out. */
interface ListKey {
  readonly name: string;
  readonly absent?: string;
}

export const fields = (members: Readonly<Record<string, Shape>>): Shape => ({
  type: 'fields',
  fields: members,
});
export const listBy = (keys: readonly (string | ListKey)[], item?: Shape): Shape => ({
  type: 'list',
  keys: keys.map((key) => (typeof key === 'string' ? { name: key } : key)),
  ...(item ? { item } : {}),
});
export const set: Shape = { type: 'set' };
export const atomic: Shape = { type: 'atomic' };
export const map: Shape = { type: 'map' };
/** A list that is empty is not the same as none, until it is stored. */
export const nullable: Shape = { type: 'atomic', keepsEmpty: true };
export const atomicMap: Shape = { type: 'atomic', isMap: true };
export const protocol: ListKey = { name: 'protocol', absent: 'TCP' };
export const conditions = fields({ conditions: listBy(['type']) });

/** The metadata of any object. */
export const metadata = fields({
  labels: map,
  annotations: map,
  ownerReferences: listBy(['uid'], atomic),
  finalizers: set,
});

/** The shape of a member of an object of `shape`. */
export function memberShape(shape: Shape | undefined, key: string): Shape | undefined {
  return shape?.type === 'fields' ? shape.fields[key] : undefined;
}
