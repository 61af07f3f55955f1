import { z } from 'zod';
import { isSlessError, SlessError } from '../../errors.ts';
import type { Page, Query } from '../../ports/cluster.ts';
import type { Kind } from '../../resources/kube/kinds.ts';
import type { KubeObject } from '../../resources/kube/object.ts';
import { collectionPath, selectors } from './api-path.ts';
import type { Connection } from './connection.ts';

/** A page as the API server bounds it, with the version of the whole that it belongs to. */
export interface VersionedPage extends Page {
  readonly version: string;
}

/** Everything that matches, as of one version. */
export interface Snapshot {
  readonly objects: readonly KubeObject[];
  readonly version: string;
}

interface PageOptions {
  /** 0: everything at once. */
  readonly limit: number;
  readonly cursor?: string;
  readonly signal?: AbortSignal;
}

/** The API server's own default in kubectl and client-go: some megabytes an answer for objects of usual size. */
export const PAGE_SIZE = 500;

const listSchema = z.object({
  metadata: z.object({ resourceVersion: z.string(), continue: z.string().optional() }),
  // Objects come from the API server, which has checked them; looking at each again would cost more than it finds.
  items: z
    .array(z.custom<KubeObject>((item) => typeof item === 'object' && item !== null))
    .nullish()
    .transform((items) => items ?? []),
});

/** One page. A cursor that is too old is `Gone`. */
export async function listPage(
  connection: Connection,
  query: Query,
  { limit, cursor, signal }: PageOptions,
): Promise<VersionedPage> {
  const path = collectionPath(query);
  const answer = await connection.request({
    method: 'GET',
    path,
    query: { limit: limit || undefined, continue: cursor, ...selectors(query) },
    ...(signal === undefined ? {} : { signal }),
  });
  const list = listSchema.safeParse(answer);
  if (!list.success)
    throw new SlessError('Unavailable', `GET ${path}: the answer is no list`, { cause: list.error });
  const { items, metadata } = list.data;
  return {
    items: items.map((item) => withKind(query.kind, item)),
    version: metadata.resourceVersion,
    ...(metadata.continue ? { next: metadata.continue } : {}),
  };
}

/**
 * Everything that matches, page by page. When the pages grow too old on the way (a server compacts its history every
 * five minutes), everything is asked for once more, at once.
 */
export async function listAll(
  connection: Connection,
  query: Query,
  options: Omit<PageOptions, 'cursor'>,
): Promise<Snapshot> {
  try {
    return await pageByPage(connection, query, options);
  } catch (error) {
    if (!isSlessError(error, 'Gone')) throw error;
    return pageByPage(connection, query, { ...options, limit: 0 });
  }
}

async function pageByPage(connection: Connection, query: Query, options: PageOptions): Promise<Snapshot> {
  const objects: KubeObject[] = [];
  for (let page = await listPage(connection, query, options); ; ) {
    for (const item of page.items) objects.push(item);
    if (page.next === undefined) return { objects, version: page.version };
    page = await listPage(connection, query, { ...options, cursor: page.next });
  }
}

/** Items of a list come without the words that say what they are. */
export function withKind({ apiVersion, kind }: Kind, item: KubeObject): KubeObject {
  return { ...item, apiVersion, kind };
}
