import type { ServerResponse } from 'node:http';
import { answer, type ScriptedServer, type Seen, startScripted, statusOf } from './scripted.ts';

interface Item {
  readonly metadata: { readonly name: string; readonly resourceVersion: string };
}

interface Change {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: Item;
  readonly version: number;
}

interface Stream {
  readonly response: ServerResponse;
  /** The version up to which everything was told. */
  told: number;
}

/** How the collection treats its next requests; a test sets what it needs. */
export interface Behaviour {
  /** Called before each answer: may answer by itself and return true. */
  intercept: (seen: Seen, response: ServerResponse) => boolean;
  /** What happens between answering a list and hearing of a watch. */
  afterList: () => void;
}

/** One collection of an API server: versions, history, pages, watches that start anywhere in it. */
export interface Collection {
  readonly server: ScriptedServer;
  readonly behaviour: Behaviour;
  put(name: string): number;
  remove(name: string): number;
  /** Forgets the history: older versions and cursors are 410. */
  compact(): void;
  /** Tells every open watch how far it is, as of a version that no object has. */
  bookmark(): number;
  /** Says an ERROR event in every open watch. */
  fail(status: object): void;
  /** Ends every open watch in peace. */
  endStreams(): void;
  /** Writes raw bytes into every open watch. */
  raw(bytes: string | Uint8Array): void;
  streams(): number;
  lists(): readonly Seen[];
  watches(): readonly Seen[];
}

export async function startCollection(): Promise<Collection> {
  const items = new Map<string, Item>();
  const history: Change[] = [];
  const streams = new Set<Stream>();
  let version = 100;
  let oldest = 0;
  const behaviour: Behaviour = { intercept: () => false, afterList: () => undefined };

  const flush = (stream: Stream): void => {
    for (const change of history)
      if (change.version > stream.told) stream.response.write(line(change.type, change.object));
    stream.told = version;
  };
  const record = (type: Change['type'], name: string): number => {
    version += 1;
    const object = { metadata: { name, resourceVersion: String(version) } };
    if (type === 'DELETED') items.delete(name);
    else items.set(name, object);
    history.push({ type, object, version });
    for (const stream of streams) flush(stream);
    return version;
  };
  const list = ({ query }: Seen, response: ServerResponse): void => {
    const [at = version, from = 0] = (query.get('continue') ?? '').split('/').filter(Boolean).map(Number);
    if (at < oldest) {
      answer(response, statusOf(410, 'Expired'), 410);
      return;
    }
    const limit = Number(query.get('limit') ?? 0) || Number.POSITIVE_INFINITY;
    const all = [...items.values()];
    const more = from + limit < all.length ? { continue: `${at}/${from + limit}` } : {};
    answer(response, {
      metadata: { resourceVersion: String(at), ...more },
      items: all.slice(from, from + limit),
    });
    behaviour.afterList();
  };
  const watch = ({ query }: Seen, response: ServerResponse): void => {
    const told = Number(query.get('resourceVersion'));
    if (told < oldest) {
      answer(response, statusOf(410, 'Expired'), 410);
      return;
    }
    const stream = { response, told };
    streams.add(stream);
    response.on('close', () => streams.delete(stream));
    response.writeHead(200, { 'content-type': 'application/json' }).flushHeaders();
    flush(stream);
  };

  const server = await startScripted((seen, response) => {
    if (behaviour.intercept(seen, response)) return;
    if (seen.query.get('watch') === 'true') watch(seen, response);
    else list(seen, response);
  });
  const each = (act: (stream: Stream) => void): void => streams.forEach(act);
  return {
    server,
    behaviour,
    put: (name) => record(items.has(name) ? 'MODIFIED' : 'ADDED', name),
    remove: (name) => record('DELETED', name),
    compact: () => {
      version += 1;
      oldest = version;
      history.length = 0;
    },
    bookmark: () => {
      version += 1;
      each(({ response }) =>
        response.write(line('BOOKMARK', { metadata: { resourceVersion: String(version) } })),
      );
      return version;
    },
    fail: (status) => each(({ response }) => response.write(line('ERROR', status))),
    endStreams: () => {
      each(({ response }) => response.end());
      streams.clear();
    },
    raw: (bytes) => each(({ response }) => response.write(bytes)),
    streams: () => streams.size,
    lists: () => server.seen.filter(({ query }) => query.get('watch') !== 'true'),
    watches: () => server.seen.filter(({ query }) => query.get('watch') === 'true'),
  };
}

function line(type: string, object: unknown): string {
  return `${JSON.stringify({ type, object })}\n`;
}
