import { Client } from 'pg';
import { createDatabase } from '../../test/contracts/postgres.ts';
import { type Loader, startLoader } from '../fn/loader-process.ts';
import { type Measure, median, type PartOptions } from '../part.ts';
import { type Measured, measurable, pinned, startNode } from '../process.ts';

const CONNECTIONS = 32;
const BODY = JSON.stringify({ text: 'x'.repeat(186) });
const REQUEST = Buffer.from(
  `POST /fn/bench/hello/ HTTP/1.1\r\nHost: bench.test\r\nContent-Type: application/json\r\nContent-Length: ${BODY.length}\r\n\r\n${BODY}`,
);
/** A log of calls may take a tenth of what the proxy could do without it. */
const FLOOR = 0.9;
/** Calls a second: as many as the log is made for, and as many as there can be, for a reader. */
const RATES = [2000, undefined] as const;

/** What the log of calls costs: processor time of a call through the proxy without it over that with it. */
export async function* invocationsPart(options: PartOptions): AsyncIterable<Measure> {
  const database = measurable() ? await createDatabase() : undefined;
  if (database === undefined) {
    options.say(
      'invocations: left out, processor times can only be read on Linux, and it needs a PostgreSQL',
    );
    return;
  }
  if (!pinned()) options.say('invocations: not pinned (one core, or no taskset): rates mean little');
  const pod = await startNode(1, `${import.meta.dirname}/../fn/hello.ts`);
  const front = (...more: string[]) =>
    startNode(0, `${import.meta.dirname}/../fn/front.ts`, [String(pod.port), ...more]);
  const [off, on] = [await front(), await front(database.url)];
  const loader = startLoader();
  try {
    for (const rate of RATES) yield await measure({ off, on, loader, url: database.url }, rate, options);
  } finally {
    loader.stop();
    await Promise.all([off, on, pod].map((server) => server.stop()));
    await database.close();
  }
}

interface Field {
  readonly off: Measured;
  readonly on: Measured;
  readonly loader: Loader;
  readonly url: string;
}

interface Sample {
  readonly micros: number;
  readonly rate: number;
  readonly p99: number;
}

async function measure(field: Field, rate: number | undefined, { quick }: PartOptions): Promise<Measure> {
  const milliseconds = quick ? 1000 : 4000;
  const sample = async (server: Measured): Promise<Sample> => {
    const before = server.cpuMicros();
    const { port } = server;
    const load = { port, request: REQUEST, connections: CONNECTIONS, milliseconds, ...(rate && { rate }) };
    const { operations, seconds, p99 } = await field.loader.run(load);
    // What waits to be written is part of the cost.
    await new Promise((resolve) => setTimeout(resolve, 500));
    return { micros: (server.cpuMicros() - before) / operations, rate: operations / seconds, p99 };
  };
  for (const server of [field.off, field.on]) await sample(server);
  const [off, on]: [Sample[], Sample[]] = [[], []];
  for (let round = 0; round < (quick ? 3 : 5); round += 1) {
    off.push(await sample(field.off));
    on.push(await sample(field.on));
  }
  const middle = (of: readonly Sample[], key: keyof Sample): string =>
    median(of.map((one) => one[key])).toFixed(1);
  return {
    name: rate === undefined ? 'full_rate' : `rate_${rate}`,
    ratios: on.map(({ micros }, index) => (off[index]?.micros ?? Number.NaN) / micros),
    of: 'off',
    ...(rate === undefined ? {} : { floor: FLOOR }),
    notes: {
      cpu_us: middle(on, 'micros'),
      of_cpu_us: middle(off, 'micros'),
      rate: middle(on, 'rate'),
      of_rate: middle(off, 'rate'),
      p99_ms: middle(on, 'p99'),
      of_p99_ms: middle(off, 'p99'),
      records: await countOf(field.url),
    },
  };
}

async function countOf(url: string): Promise<number> {
  const client = new Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query('SELECT count(*)::int AS count FROM sless_invocations');
  await client.end();
  return rows[0].count;
}
