import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Broker, openBroker, withoutBroker } from '../../test/rabbitmq/broker.ts';
import { buildGo } from '../go.ts';
import { type Measure, median, type PartOptions } from '../part.ts';
import { type Measured, measurable, start, startNode } from '../process.ts';

/** The function: it answers at once, and knows how many messages it has seen. */
interface Counter {
  readonly server: Server;
  readonly target: string;
  seen: number;
  onSeen: () => void;
}

const PREFETCHES = [1, 10, 100] as const;
const BODY = Buffer.from(JSON.stringify({ text: 'x'.repeat(186) }));
/** Below this the dispatcher costs more than twice what a bare consumer of the same library does. */
const FLOOR = 0.5;

/** What a message costs: queue → function → ack, in processor time of the consumer's process. */
export async function* dispatcherPart(options: PartOptions): AsyncIterable<Measure> {
  if (!measurable() || withoutBroker !== undefined) {
    options.say(`dispatcher: left out, ${withoutBroker ?? 'processor times can only be read on Linux'}`);
    return;
  }
  const folder = await mkdtemp(join(tmpdir(), 'sless-bench-'));
  const broker = await openBroker();
  const counter = await startCounter();
  try {
    const go = await buildGo('go-consumer', folder, options.say);
    for (const prefetch of PREFETCHES) yield* measure({ broker, counter, go, prefetch }, options);
  } finally {
    counter.server.close();
    counter.server.closeAllConnections();
    await broker.close();
    await rm(folder, { recursive: true, force: true });
  }
}

async function startCounter(): Promise<Counter> {
  const server = createServer((request, response) => {
    request.resume();
    response.end('null');
    counter.seen += 1;
    counter.onSeen();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const counter: Counter = { server, target: `http://127.0.0.1:${port}/`, seen: 0, onSeen: () => {} };
  return counter;
}

interface Field {
  readonly broker: Broker;
  readonly counter: Counter;
  readonly go: string | undefined;
  readonly prefetch: number;
}

interface Sample {
  readonly micros: number;
  readonly rate: number;
}

async function* measure(
  { broker, counter, go, prefetch }: Field,
  { quick }: PartOptions,
): AsyncIterable<Measure> {
  const messages = (prefetch === 1 ? 1000 : 4000) / (quick ? 2 : 1);
  const args = async (name: string): Promise<string[]> => {
    await broker.channel.assertQueue(name, { durable: true });
    return [broker.url(), name, String(prefetch), counter.target];
  };
  const consumers: Record<string, Measured> = {};
  const queueOf = (name: string): string => `bench-${name}-${prefetch}`;
  for (const name of ['ours', 'bare'])
    consumers[name] = await startNode(0, `${import.meta.dirname}/${name}.ts`, await args(queueOf(name)));
  if (go !== undefined) consumers.go = await start(0, go, await args(queueOf('go')));
  const rounds: Record<string, Sample[]> = { ours: [], bare: [], go: [] };
  try {
    for (let round = -1; round < (quick ? 3 : 5); round += 1) {
      for (const [name, consumer] of Object.entries(consumers)) {
        const sample = await run(consumer, { broker, counter, queue: queueOf(name), messages });
        if (round >= 0) rounds[name]?.push(sample); // the first is for warming up
      }
    }
  } finally {
    await Promise.all(Object.values(consumers).map((consumer) => consumer.stop()));
  }
  yield measureOf(prefetch, 'bare', rounds);
  if (go !== undefined) yield measureOf(prefetch, 'go', rounds);
}

interface Run {
  readonly broker: Broker;
  readonly counter: Counter;
  readonly queue: string;
  readonly messages: number;
}

/** Transient messages: the broker's disk is not what is measured. */
async function run(consumer: Measured, { broker, counter, queue, messages }: Run): Promise<Sample> {
  counter.seen = 0;
  const all = new Promise<void>((resolve) => {
    counter.onSeen = () => counter.seen >= messages && resolve();
  });
  const before = consumer.cpuMicros();
  const started = performance.now();
  for (let i = 0; i < messages; i += 1) broker.channel.sendToQueue(queue, BODY);
  await all;
  const seconds = (performance.now() - started) / 1000;
  return { micros: (consumer.cpuMicros() - before) / messages, rate: messages / seconds };
}

function measureOf(prefetch: number, of: 'bare' | 'go', rounds: Record<string, Sample[]>): Measure {
  const [ours = [], peer = []] = [rounds.ours, rounds[of]];
  const middle = (samples: readonly Sample[], key: keyof Sample): number =>
    median(samples.map((sample) => sample[key]));
  return {
    name: of === 'bare' ? `prefetch_${prefetch}` : `prefetch_${prefetch}_go`,
    ratios: ours.map((sample, i) => (peer[i]?.micros ?? Number.NaN) / sample.micros),
    of: of === 'bare' ? 'amqplib' : 'amqp091',
    ...(of === 'bare' ? { floor: FLOOR } : {}),
    notes: {
      cpu_us: middle(ours, 'micros').toFixed(1),
      of_cpu_us: middle(peer, 'micros').toFixed(1),
      per_second: Math.round(middle(ours, 'rate')),
      of_per_second: Math.round(middle(peer, 'rate')),
    },
  };
}
