import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type LuaEngine, LuaFactory } from 'wasmoon';
import type { KubeObject } from '../../src/resources/kube/object.ts';

/** What Argo CD shows of an object. */
export interface Health {
  readonly status: 'Healthy' | 'Progressing' | 'Degraded' | 'Suspended';
  readonly message: string;
}

const FOLDER = resolve(import.meta.dirname, '../../gitops/argocd');

/** Our health check of the object's kind, carried out on it as Argo CD does: a Lua chunk with the global `obj`. */
export async function healthOf(object: KubeObject): Promise<Health> {
  const lua = await new LuaFactory().createEngine();
  try {
    return await run(lua, object);
  } finally {
    lua.global.close();
  }
}

async function run(lua: LuaEngine, object: KubeObject): Promise<Health> {
  const script = readFileSync(join(FOLDER, `${object.kind}.lua`), 'utf8');
  return (await lua.doString(`obj = ${literal(object)}\n${script}`)) as Health;
}

/** A JSON value in Lua: lists count from 1, and there is no null. */
function literal(value: unknown): string {
  if (Array.isArray(value)) return `{${value.map(literal).join(', ')}}`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).filter(([, member]) => member !== undefined && member !== null);
  return `{${members.map(([name, member]) => `[${JSON.stringify(name)}] = ${literal(member)}`).join(', ')}}`;
}
