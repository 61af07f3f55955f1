import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildGo } from '../go.ts';
import type { Measure, PartOptions } from '../part.ts';
import { median } from '../part.ts';
import { type Measured, measurable, pinned, start, startNode } from '../process.ts';
import type { LoadResult } from './load.ts';
import { type Loader, startLoader } from './loader-process.ts';

/** Everything that runs: the function on core 1, what is measured on core 0, the load on core 1. */
interface Field {
  readonly pod: Measured;
  readonly loader: Loader;
  readonly direct: Measured;
  readonly ours: Measured;
  readonly go: Measured | undefined;
}

/** A kind of request, on the function itself and behind a proxy. */
interface Case {
  readonly name: string;
  readonly connections: number;
  request(path: string): Buffer;
  readonly path: string;
  readonly floors: { readonly direct?: number; readonly go?: number };
}

const MIB = 1024 * 1024;

const post = (path: string, body: Buffer): Buffer =>
  Buffer.concat([
    Buffer.from(
      `POST ${path} HTTP/1.1\r\nHost: bench.test\r\nContent-Type: application/json\r\nAccept: */*\r\n` +
        `User-Agent: bench\r\nContent-Length: ${body.length}\r\n\r\n`,
    ),
    body,
  ]);
const get = (path: string): Buffer => Buffer.from(`GET ${path} HTTP/1.1\r\nHost: bench.test\r\n\r\n`);

const CASES: readonly Case[] = [
  {
    name: 'small_post',
    connections: 32,
    request: (path) => post(path, Buffer.from(JSON.stringify({ text: 'x'.repeat(186) }))),
    path: '/',
    floors: { direct: 0.3 },
  },
  {
    name: 'upload_1m',
    connections: 4,
    request: (path) => post(path, Buffer.alloc(MIB, 'x')),
    path: '/',
    floors: {},
  },
  { name: 'download_1m', connections: 4, request: get, path: `/bytes/${MIB}`, floors: {} },
];

/** What a proxy costs: processor time of an operation on the function itself over that of the proxy's process. */
export async function* fnPart(options: PartOptions): AsyncIterable<Measure> {
  if (!measurable()) {
    options.say('fn: left out, processor times can only be read on Linux');
    return;
  }
  if (!pinned()) options.say('fn: not pinned (one core, or no taskset): rates mean little');
  const folder = await mkdtemp(join(tmpdir(), 'sless-bench-'));
  const field = await setUp(options, folder);
  try {
    for (const one of CASES) yield* measure(field, one, options);
  } finally {
    await rm(folder, { recursive: true, force: true });
    field.loader.stop();
    await Promise.all([field.pod, field.direct, field.ours, field.go].map((server) => server?.stop()));
  }
}

async function setUp({ say }: PartOptions, folder: string): Promise<Field> {
  const pod = await startNode(1, `${import.meta.dirname}/hello.ts`);
  const binary = await buildGo('go-proxy', folder, say);
  return {
    pod,
    loader: startLoader(),
    direct: await startNode(0, `${import.meta.dirname}/hello.ts`),
    ours: await startNode(0, `${import.meta.dirname}/front.ts`, [String(pod.port)]),
    go: binary === undefined ? undefined : await start(0, binary, [`http://127.0.0.1:${pod.port}`]),
  };
}

/** One round of one server: processor time of an operation in microseconds, and how fast they went. */
interface Sample extends LoadResult {
  readonly micros: number;
}

async function* measure(field: Field, one: Case, { quick }: PartOptions): AsyncIterable<Measure> {
  const milliseconds = quick ? 600 : 2000;
  const sample = async (server: Measured, path: string, ms: number): Promise<Sample> => {
    const before = server.cpuMicros();
    const load = {
      port: server.port,
      request: one.request(path),
      connections: one.connections,
      milliseconds: ms,
    };
    const result = await field.loader.run(load);
    return { ...result, micros: (server.cpuMicros() - before) / result.operations };
  };
  const servers = {
    direct: (ms: number) => sample(field.direct, one.path, ms),
    ours: (ms: number) => sample(field.ours, `/fn/bench/hello${one.path}`, ms),
    ...(field.go && { go: (ms: number) => sample(field.go as Measured, one.path, ms) }),
  };
  for (const run of Object.values(servers)) await run(milliseconds);
  const rounds: Record<string, Sample[]> = { direct: [], ours: [], go: [] };
  for (let round = 0; round < (quick ? 3 : 5); round += 1) {
    for (const [name, run] of Object.entries(servers)) rounds[name]?.push(await run(milliseconds));
  }
  yield measureOf(one, 'direct', rounds);
  if (field.go !== undefined) yield measureOf(one, 'go', rounds);
}

function measureOf(one: Case, of: 'direct' | 'go', rounds: Record<string, Sample[]>): Measure {
  const ours = rounds.ours ?? [];
  const peer = rounds[of] ?? [];
  const rate = (samples: readonly Sample[]): number =>
    median(samples.map((sample) => sample.operations / sample.seconds));
  const middle = (samples: readonly Sample[], key: 'micros' | 'p99'): string =>
    median(samples.map((sample) => sample[key])).toFixed(1);
  const floor = one.floors[of];
  return {
    name: of === 'direct' ? one.name : `${one.name}_${of}`,
    ratios: ours.map((sample, i) => (peer[i]?.micros ?? Number.NaN) / sample.micros),
    of,
    ...(floor === undefined ? {} : { floor }),
    notes: {
      cpu_us: middle(ours, 'micros'),
      of_cpu_us: middle(peer, 'micros'),
      rate: (rate(ours) / rate(peer)).toFixed(2),
      p99_ms: middle(ours, 'p99'),
      of_p99_ms: middle(peer, 'p99'),
    },
  };
}
