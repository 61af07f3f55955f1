import type { Page } from '../../ports/cluster.ts';
import type { KubeObject } from '../../resources/kube/object.ts';
import { nameKey } from './object-table.ts';
import { malformed } from './refusals.ts';

/** Objects a page, as the Kubernetes adapter asks for: who forgets to turn the page learns it here. */
const PAGE_SIZE = 500;

/**
 * One page of a list in the order of names. The cursor is the key of the last object of a page, so that the next page goes on
 * behind it whatever came or went meanwhile; it never gets too old.
 */
export function pageOf(
  all: readonly KubeObject[],
  { limit = PAGE_SIZE, cursor }: { readonly limit?: number; readonly cursor?: string } = {},
): Page {
  if (!(Number.isInteger(limit) && limit > 0)) {
    throw malformed(`limit is ${limit}, it must be a positive whole number`);
  }
  const after = cursor === undefined ? undefined : decode(cursor);
  const start = after === undefined ? 0 : all.findIndex((object) => nameKey(object) > after);
  const rest = start < 0 ? [] : all.slice(start);
  const items = rest.slice(0, limit);
  const last = items.at(-1);
  return { items, ...(last && items.length < rest.length ? { next: encode(nameKey(last)) } : {}) };
}

const encode = (key: string) => Buffer.from(JSON.stringify({ after: key })).toString('base64url');

function decode(cursor: string): string {
  try {
    const { after } = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as { after?: unknown };
    if (typeof after === 'string') return after;
  } catch {
    // Whatever the cursor is, it is not one of ours: said below.
  }
  throw malformed('the cursor is not one that a list has answered');
}
