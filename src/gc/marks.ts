import { text } from 'node:stream/consumers';
import { z } from 'zod';
import { isSlessError } from '../errors.ts';
import type { ObjectStore } from '../ports/object-store.ts';
import type { Garbage } from './item.ts';

/**
 * Since when each piece of garbage has been seen unused, kept in the object store beside what it speaks of. Something goes
 * only after nothing has used it for the whole grace at every run in between: a cluster that is empty because it is about
 * to be restored from a backup costs nobody their code. Marks that are lost begin anew.
 */
const KEY = 'gc/unused.json';

const marksSchema = z.object({ version: z.literal(1), since: z.record(z.string(), z.iso.datetime()) });

/** RFC 3339 times by the garbage's id. */
export type Marks = ReadonlyMap<string, string>;

/** @throws Error when there are marks that cannot be read: whoever damaged them should know before anything goes. */
export async function readMarks(store: Pick<ObjectStore, 'get'>): Promise<Marks> {
  try {
    const { body } = await store.get(KEY);
    return new Map(Object.entries(marksSchema.parse(JSON.parse(await text(body))).since));
  } catch (error) {
    if (isSlessError(error, 'NotFound')) return new Map();
    if (isSlessError(error)) throw error;
    throw new Error(`${KEY} in the object store cannot be read; delete it, and every grace begins anew`, {
      cause: error,
    });
  }
}

export async function writeMarks(store: Pick<ObjectStore, 'put'>, marks: Marks): Promise<void> {
  const since = Object.fromEntries([...marks].sort(([a], [b]) => (a < b ? -1 : 1)));
  const body = Buffer.from(JSON.stringify({ version: 1, since }));
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
