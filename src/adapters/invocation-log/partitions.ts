import type { ClientBase } from 'pg';

const DAY_MS = 86_400_000;
/** Held while partitions come or go: two processes that make the same one at once would fail each other. */
const LOCK = "SELECT pg_advisory_xact_lock(hashtext('sless_invocations'))";

/** The day of a moment in UTC: `20260301`. */
export function dayOf(moment: number): string {
  return new Date(moment).toISOString().slice(0, 10).replaceAll('-', '');
}

const startOf = (day: string): number =>
  Date.UTC(Number(day.slice(0, 4)), Number(day.slice(4, 6)) - 1, Number(day.slice(6, 8)));

interface Days {
  readonly days: readonly string[];
  /** Those that are known to be there; grows. */
  readonly known: Set<string>;
}

/** Makes the partitions of these days where they are missing, and the next day's with them. */
export async function createPartitions(client: ClientBase, { days, known }: Days): Promise<void> {
  const missing = new Set(days.filter((day) => !known.has(day)));
  if (missing.size === 0) return;
  for (const day of [...missing]) missing.add(dayOf(startOf(day) + DAY_MS));
  await locked(client, async () => {
    for (const day of missing) {
      const [from, to] = [startOf(day), startOf(day) + DAY_MS].map((at) => new Date(at).toISOString());
      await client.query(
        `CREATE TABLE IF NOT EXISTS sless_invocations_${day} PARTITION OF sless_invocations
         FOR VALUES FROM ('${from}') TO ('${to}')`,
      );
    }
  });
  for (const day of missing) known.add(day);
}

const PARTITIONS = `
  SELECT child.relname AS name FROM pg_inherits
  JOIN pg_class child ON child.oid = inhrelid
  WHERE inhparent = 'sless_invocations'::regclass`;

/** Drops the partitions whose day had ended before that moment. */
export async function dropBefore(
  client: ClientBase,
  { before, known }: { readonly before: number; readonly known: Set<string> },
): Promise<void> {
  const { rows } = await client.query<{ name: string }>(PARTITIONS);
  const old = rows
    .map(({ name }) => /^sless_invocations_(\d{8})$/.exec(name)?.[1] ?? '')
    .filter((day) => day !== '' && startOf(day) + DAY_MS <= before);
  if (old.length === 0) return;
  await locked(client, async () => {
    for (const day of old) await client.query(`DROP TABLE IF EXISTS sless_invocations_${day}`);
  });
  for (const day of old) known.delete(day);
}

async function locked(client: ClientBase, work: () => Promise<void>): Promise<void> {
  await client.query('BEGIN');
  await client.query(LOCK);
  await work();
  await client.query('COMMIT');
}
