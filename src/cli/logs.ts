import { EventSourceParserStream } from 'eventsource-parser/stream';
import type { ApiLogLine } from './api-types.ts';
import type { Client } from './client.ts';
import { CliFailure } from './failure.ts';
import { hasColour } from './output.ts';
import { print, type World } from './world.ts';

export interface LogOptions {
  /** `/functions/{name}/logs` or `…/build/logs`. */
  readonly path: string;
  readonly tail?: string | undefined;
  readonly since?: string | undefined;
  readonly previous?: boolean | undefined;
  readonly timestamps?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** What the last event of a build's log says. */
export interface LogEnd {
  readonly outcome?: string;
  readonly reason?: string;
  readonly message?: string;
}

const questionOf = ({ tail, since, previous, timestamps }: LogOptions) => ({
  tail,
  since,
  previous,
  timestamps,
});

/** The lines that are there. */
export async function readLogs(
  client: Client,
  world: Pick<World, 'stdout'>,
  options: LogOptions,
): Promise<void> {
  const response = await client.open('GET', options.path, {
    query: questionOf(options),
    accept: 'text/plain',
  });
  for await (const piece of response.body ?? []) world.stdout.write(piece);
}

const MAX_RECONNECTS = 20;

/**
 * Follows a log until it ends: what a connection that broke had not brought yet comes over the next one.
 *
 * @returns what the last event said
 */
export async function followLogs(
  client: Client,
  world: Pick<World, 'stdout' | 'env' | 'sleep'>,
  options: LogOptions,
): Promise<LogEnd> {
  let lastId: string | undefined;
  let pods = new Set<string>();
  const line = (data: string): void => {
    const { time, pod, line: text } = JSON.parse(data) as ApiLogLine;
    if (pod !== null) pods = pods.add(pod);
    print(world, textOf({ time, pod, text }, { options, several: pods.size > 1, colour: hasColour(world) }));
  };
  for (let broken = 0; broken <= MAX_RECONNECTS; broken++) {
    const response = await client.open('GET', options.path, {
      query: { ...questionOf(options), follow: true },
      accept: 'text/event-stream',
      ...(lastId === undefined ? {} : { headers: { 'last-event-id': lastId } }),
      ...(options.signal === undefined ? {} : { signal: options.signal }),
    });
    try {
      const events = (response.body ?? new ReadableStream())
        .pipeThrough(new TextDecoderStream())
        .pipeThrough(new EventSourceParserStream());
      for await (const { event, id, data } of events) {
        if (id !== undefined) lastId = id;
        if (event === 'end') return JSON.parse(data) as LogEnd;
        if (event === undefined || event === 'message') {
          line(data);
          broken = 0;
        }
      }
    } catch (error) {
      if (options.signal?.aborted) return {};
      if (error instanceof CliFailure) throw error;
    }
    await world.sleep(Math.min(5000, 250 * 2 ** broken));
  }
  throw new CliFailure('the connection broke again and again; what follows is not shown');
}

interface Line {
  readonly time: string | null;
  readonly pod: string | null;
  readonly text: string;
}

interface Manner {
  readonly options: LogOptions;
  readonly several: boolean;
  readonly colour: boolean;
}

/** The pod stands before a line only once there are several: it is noise otherwise. */
function textOf({ time, pod, text }: Line, { options, several, colour }: Manner): string {
  const who = several && pod !== null ? (colour ? `\u001b[36m${pod}\u001b[0m ` : `${pod} `) : '';
  return `${options.timestamps && time !== null ? `${time} ` : ''}${who}${text}`;
}
