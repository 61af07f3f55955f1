import type { ObjectStore } from '../ports/object-store.ts';
import type { Garbage, Owner } from './item.ts';
import type { Usage } from './usage.ts';

/**
 * What an upload stores of one version: context, zip and findings, all under one stem. Objects of other names are not
 * ours to throw away, be they under the same prefix: a pipeline may put contexts there itself.
 */
const UPLOADED =
  /^(?:contexts|functions)\/(?<namespace>[^/]+)\/(?<name>[^/]+)\/(?<stem>\d{14}-[0-9a-f]{16})\.(?:tar\.gz|zip|json)$/;

const PREFIXES = ['contexts/', 'functions/'];

interface Findings {
  readonly garbage: readonly Garbage[];
  /** Every Function that ever stored code and whose code is still there, garbage or not. */
  readonly owners: readonly Owner[];
}

/** The stored objects of versions that nothing uses. */
export async function unusedObjects(store: Pick<ObjectStore, 'list'>, usage: Usage): Promise<Findings> {
  const garbage: Garbage[] = [];
  const owners = new Map<string, Owner>();
  for (const prefix of PREFIXES) {
    for await (const { key, size } of store.list(prefix)) {
      const owner = uploaderOf(key);
      if (owner === undefined) continue;
      owners.set(`${owner.namespace}/${owner.name}`, owner);
      if (!isObjectUsed(key, usage)) garbage.push({ id: key, kind: 'object', owner, size });
    }
  }
  return { garbage, owners: [...owners.values()] };
}

/** Whether an object belongs to a version that is used. */
export function isObjectUsed(key: string, { keys }: Usage): boolean {
  const { namespace, name, stem } = UPLOADED.exec(key)?.groups ?? {};
  return stem === undefined || keys.has(`contexts/${namespace}/${name}/${stem}.tar.gz`);
}

function uploaderOf(key: string): Owner | undefined {
  const { namespace, name } = UPLOADED.exec(key)?.groups ?? {};
  return namespace === undefined || name === undefined ? undefined : { namespace, name };
}
