import { z } from '@hono/zod-openapi';
import type { MiddlewareHandler } from 'hono';
import type { Cluster, Page, Query } from '../../../ports/cluster.ts';
import type { KubeObject } from '../../../resources/kube/object.ts';
import type { ApiEnv } from '../deps.ts';
import { createSlots, inSlot } from './slots.ts';

const DEFAULT_LIMIT = 100;
const MAX_LIMIT = 500;

/** Where a page begins and how long it is. A question with another word in it is refused: a filter that is ignored misleads. */
export const pageQuery = z.strictObject({
  limit: z.coerce.number().int().min(1).max(MAX_LIMIT).default(DEFAULT_LIMIT).openapi({
    type: 'integer',
    format: 'int32',
    minimum: 1,
    maximum: MAX_LIMIT,
    default: DEFAULT_LIMIT,
    description: 'Items a page.',
  }),
  cursor: z.string().max(8192).optional().openapi({ description: 'The next of the page before.' }),
});

/** `limit` and `cursor` as the Cluster port takes them. An empty cursor is none: so scripts write a `next` of null. */
export function pageOf(query: z.infer<typeof pageQuery>): { limit: number; cursor?: string } {
  return { limit: query.limit, ...(query.cursor ? { cursor: query.cursor } : {}) };
}

/** Objects are read so many at a time: one of them may have a quarter of a MiB. */
const STEP = 50;
/** Of all objects of a page together; the step that passes it is the last. */
const MAX_BYTES = 4 * 1024 * 1024;

/** A page of at most so many objects. It ends before that where they are large: whoever goes on by `next` misses none. */
export async function readPage(
  cluster: Pick<Cluster, 'list'>,
  query: Query,
  { limit, cursor }: ReturnType<typeof pageOf>,
): Promise<Page> {
  const items: KubeObject[] = [];
  let from = cursor;
  for (let bytes = 0; ; ) {
    const step = Math.min(STEP, limit - items.length);
    const page = await cluster.list(query, { limit: step, ...(from === undefined ? {} : { cursor: from }) });
    items.push(...page.items);
    from = page.next;
    if (from === undefined) return { items };
    for (const item of page.items) bytes += JSON.stringify(item).length;
    if (items.length >= limit || bytes >= MAX_BYTES) return { items, next: from };
  }
}

/** Lists at once: each holds a page and the answer that is made of it. One more waits, five seconds at most. */
export function boundedLists(): MiddlewareHandler<ApiEnv> {
  const slots = createSlots({ what: 'readers of lists', perTenant: 4, total: 16, waitMs: 5000 });
  return (c, next) => inSlot(slots, c, next);
}

/** The `next` of a list's answer: null on the last page. */
export const nextCursor = z
  .string()
  .nullable()
  .describe('The cursor of the page after this one; null on the last.');

/** See `nextCursor`. */
export function nextOf(page: Page): string | null {
  return page.next ?? null;
}
