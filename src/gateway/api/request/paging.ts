import { z } from '@hono/zod-openapi';
import type { Page } from '../../../ports/cluster.ts';

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

/** The `next` of a list's answer: null on the last page. */
export const nextCursor = z
  .string()
  .nullable()
  .describe('The cursor of the page after this one; null on the last.');

/** See `nextCursor`. */
export function nextOf(page: Page): string | null {
  return page.next ?? null;
}
