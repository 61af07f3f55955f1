import { text } from 'node:stream/consumers';
import { z } from 'zod';
import { isSlessError, SlessError } from '../errors.ts';
import type { ObjectStore } from '../ports/object-store.ts';
import type { Garbage } from './item.ts';

/**
 * Since when each piece of garbage has been seen unused, kept in the object store beside what it speaks of. Something goes
 * only after nothing has used it for the whole grace at every run in between: a cluster that is empty because it is about
 * to be restored from a backup costs nobody their code. Marks that are lost begin anew.
 */
const KEY = 'gc/unused.json';

const marksSchema = z.object({
  version: z.literal(1),
  /** The clusters that have looked for garbage here. What one uses is unused in the eyes of another. */
  clusters: z.array(z.string()).default([]),
  since: z.record(z.string(), z.iso.datetime()),
});
type Kept = z.infer<typeof marksSchema>;

/** RFC 3339 times by the garbage's id. */
export type Marks = ReadonlyMap<string, string>;

/**
 * The marks of this cluster. Where another one has looked, nothing may go, neither here nor there: that this one has been here is written
 * down, so that the other finds it at its next run, days before its grace is over.
 *
 * @param cluster what tells a cluster from all others, also from one that was made anew under its name
 * @throws SlessError `Conflict` when another cluster has marks here
 * @throws Error when there are marks that cannot be read: whoever damaged them should know before anything goes.
 */
export async function claimMarks(store: Pick<ObjectStore, 'get' | 'put'>, cluster: string): Promise<Marks> {
  const kept = await readKept(store);
  const others = kept.clusters.filter((one) => one !== cluster);
  if (others.length === 0) return new Map(Object.entries(kept.since));
  if (!kept.clusters.includes(cluster)) await write(store, { ...kept, clusters: [...others, cluster] });
  throw new SlessError(
    'Conflict',
    `${KEY} in the object store has marks of another cluster (${others.join(', ')}; this is ${cluster}): give each a bucket and a registry, or a path in it, of its own. Where the other one is gone, delete that object, and every grace begins anew`,
  );
}

async function readKept(store: Pick<ObjectStore, 'get'>): Promise<Kept> {
  try {
    const { body } = await store.get(KEY);
    return marksSchema.parse(JSON.parse(await text(body)));
  } catch (error) {
    if (isSlessError(error, 'NotFound')) return { version: 1, clusters: [], since: {} };
    if (isSlessError(error)) throw error;
    throw new Error(`${KEY} in the object store cannot be read; delete it, and every grace begins anew`, {
      cause: error,
    });
  }
}

/** Keeps the marks of this cluster; nobody else's are there any more. */
export async function writeMarks(
  store: Pick<ObjectStore, 'put'>,
  marks: Marks,
  cluster: string,
): Promise<void> {
  const since = Object.fromEntries([...marks].sort(([a], [b]) => (a < b ? -1 : 1)));
  await write(store, { version: 1, clusters: [cluster], since });
}

async function write(store: Pick<ObjectStore, 'put'>, kept: Kept): Promise<void> {
  const body = Buffer.from(JSON.stringify(kept));
  await store.put(KEY, body, { size: body.length });
}

interface Sorted {
  /** Unused for the whole grace. */
  readonly ripe: readonly Garbage[];
  readonly waiting: readonly Garbage[];
  /** The marks of everything that is unused now. */
  readonly marks: Marks;
}

/** Sorts what may go from what has to wait. `now` and `graceMs` are in milliseconds. */
export function sortByAge(
  garbage: readonly Garbage[],
  marks: Marks,
  at: { now: number; graceMs: number },
): Sorted {
  const next = new Map(garbage.map(({ id }) => [id, marks.get(id) ?? new Date(at.now).toISOString()]));
  // Every id was just put in; a mark from a clock that ran ahead counts from now.
  const isRipe = ({ id }: Garbage): boolean => at.now - Date.parse(next.get(id) ?? '') >= at.graceMs;
  return { ripe: garbage.filter(isRipe), waiting: garbage.filter((item) => !isRipe(item)), marks: next };
}
