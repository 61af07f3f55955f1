import type { Readable } from 'node:stream';
import { z } from 'zod';
import { SlessError } from '../../errors.ts';
import type { Query } from '../../ports/cluster.ts';
import type { KubeObject } from '../../resources/kube/object.ts';
import { collectionPath, selectors } from './api-path.ts';
import { type Connection, connectionError } from './connection.ts';
import { jsonLines } from './lines.ts';
import { parseStatus, refusalError } from './refusal.ts';

/** What one watch request tells: a change, or only how far the server has come. */
export type Change =
  | { readonly type: 'applied' | 'deleted'; readonly object: KubeObject; readonly version: string }
  | { readonly type: 'bookmark'; readonly version: string };

interface StreamRequest {
  /** Everything after this version is told. */
  readonly version: string;
  /** The server ends the stream after so long. */
  readonly timeoutSeconds: number;
  readonly silenceMs: number;
  readonly signal: AbortSignal;
}

const eventSchema = z.object({
  type: z.enum(['ADDED', 'MODIFIED', 'DELETED', 'BOOKMARK', 'ERROR']),
  // Not looked into: the API server checked it, as with the items of a list.
  object: z.custom<KubeObject>((object) => typeof object === 'object' && object !== null),
});

/**
 * Resolves once the stream has begun, with the changes after a version until the server ends it. Both fail with `Gone`
 * when the version is too old, else with `Unavailable` and the like.
 */
export async function openWatch(
  connection: Connection,
  query: Query,
  { version, timeoutSeconds, silenceMs, signal }: StreamRequest,
): Promise<AsyncIterable<Change>> {
  const path = collectionPath(query);
  const search = {
    watch: true,
    allowWatchBookmarks: true,
    resourceVersion: version,
    timeoutSeconds,
    ...selectors(query),
  };
  const stream = await connection.stream({ method: 'GET', path, query: search }, { signal, silenceMs });
  return changesOf(stream, `WATCH ${path}`);
}

async function* changesOf(stream: Readable, asked: string): AsyncGenerator<Change> {
  try {
    for await (const line of jsonLines(stream)) yield changeOf(line, asked);
  } catch (error) {
    throw connectionError(error, asked);
  }
}

function changeOf(line: unknown, asked: string): Change {
  const event = eventSchema.safeParse(line).data;
  if (event === undefined)
    throw new SlessError('Unavailable', `${asked}: the API server sent something that is no event`);
  const { type, object } = event;
  if (type === 'ERROR') throw errorEvent(object, asked);
  const version = object.metadata?.resourceVersion;
  if (version === undefined)
    throw new SlessError('Unavailable', `${asked}: the API server sent an object without a version`);
  if (type === 'BOOKMARK') return { type: 'bookmark', version };
  return { type: type === 'DELETED' ? 'deleted' : 'applied', object, version };
}

function errorEvent(object: unknown, asked: string): SlessError {
  const status = parseStatus(object)?.code ?? 500;
  return refusalError({ status, body: JSON.stringify(object), asked });
}
