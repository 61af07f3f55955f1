import type { KubeObject } from '../../src/resources/kube/object.ts';

/** What a field is damaged into; `undefined` takes it away. */
export const DAMAGES = [
  null,
  undefined,
  'abc',
  '',
  '-1',
  '1e9',
  0,
  -1,
  1.5,
  1e300,
  true,
  [],
  [null],
  {},
] as const;
export type Damage = (typeof DAMAGES)[number];

type Path = readonly (string | number)[];

/** Without these an object would be somebody else's, or none; the API server keeps them as they are. */
const IDENTITY = /^(apiVersion|kind|metadata|metadata\.(name|namespace|uid|generation|ownerReferences.*))$/;

/** All fields of an object that somebody with rights on it could damage. */
export function fieldsOf(object: KubeObject): Path[] {
  const found: Path[] = [];
  const walk = (value: unknown, path: Path): void => {
    if (path.length > 0 && !IDENTITY.test(path.join('.'))) found.push(path);
    if (typeof value !== 'object' || value === null) return;
    for (const [name, member] of Object.entries(value)) {
      walk(member, [...path, Array.isArray(value) ? Number(name) : name]);
    }
  };
  walk(object, []);
  return found;
}

/** A copy in which the field at this path is another. */
export function damaged(object: KubeObject, path: Path, damage: Damage): KubeObject {
  const copy = structuredClone(object) as unknown as Record<string | number, unknown>;
  const last = path.at(-1) ?? '';
  let at = copy;
  for (const step of path.slice(0, -1)) at = at[step] as typeof copy;
  if (damage !== undefined) at[last] = structuredClone(damage);
  else if (Array.isArray(at)) at.splice(Number(last), 1);
  else delete at[last];
  return copy as unknown as KubeObject;
}
