import type { FollowedLine, FollowedLines } from '../../logs/follow-lines.ts';
import { formatPosition, type Position } from '../../logs/position.ts';
import { type LogLineAnswer, toLogLine } from './answer.ts';

/** Proxies on the way give up on a silent answer after half a minute or later. */
export const HEART_BEAT_MS = 15_000;
/** How soon the end of a build is seen. */
const LOOK_MS = 1000;
/** Whoever reads on comes again and shows a token that still holds. */
const LONGEST_MS = 3_600_000;

interface EventStreamOptions {
  /** What was there already, and up to where it goes. */
  readonly lines: readonly LogLineAnswer[];
  readonly position: Position;
  readonly followed: FollowedLines;
  /** How it ended, once nothing more is to come; never, where it is absent. */
  readonly end?: () => Promise<object | undefined>;
  /** Aborted when the service ends. */
  readonly ending: AbortSignal | undefined;
  readonly now: () => number;
  readonly heartBeatMs: number;
}

/**
 * Lines as server-sent events: `data` is a line as JSON, `id` what `Last-Event-ID` takes. A comment is the heart-beat, an
 * event `end` says that nothing more will come. Asked for no faster than the reader takes it.
 */
export function eventStream(options: EventStreamOptions): ReadableStream<Uint8Array> {
  const { followed, ending } = options;
  let closed = false;
  const close = (): void => {
    closed = true;
    followed.close();
    ending?.removeEventListener('abort', close);
  };
  ending?.addEventListener('abort', close);
  if (ending?.aborted === true) close();
  const texts = eventTexts(options, () => closed);
  const encoder = new TextEncoder();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { value, done } = await texts.next();
        if (done !== true) return controller.enqueue(encoder.encode(value));
        close();
        controller.close();
      },
      cancel: close,
    },
    { highWaterMark: 0 },
  );
}

/** `isClosed`: from then on there is nothing to wait for, and a loop that asked on would leave time for nothing else. */
async function* eventTexts(options: EventStreamOptions, isClosed: () => boolean): AsyncGenerator<string> {
  const { followed, end, now, heartBeatMs } = options;
  const until = now() + LONGEST_MS;
  yield `retry: 1000\n\n${firstEvents(options)}`;
  let spokenAt = now();
  while (!isClosed() && now() < until) {
    const lines = await followed.take(end === undefined ? heartBeatMs : LOOK_MS);
    if (lines.length > 0) {
      yield eventsOf(lines);
      spokenAt = now();
      continue;
    }
    const over = followed.idle() ? await end?.() : undefined;
    // What was written before the end may have come meanwhile.
    const last = over === undefined ? [] : await followed.take(0);
    if (over !== undefined) return yield `${eventsOf(last)}event: end\ndata: ${JSON.stringify(over)}\n\n`;
    if (now() - spokenAt >= heartBeatMs) {
      yield ': still here\n\n';
      spokenAt = now();
    }
  }
}

/** One id for all that were there already: whoever is cut before it begins anew. */
function firstEvents({ lines, position }: EventStreamOptions): string {
  const text = lines.map((line) => `data: ${JSON.stringify(line)}\n\n`).join('');
  return position.size === 0 ? text : `${text}id: ${formatPosition(position)}\n\n`;
}

function eventsOf(lines: readonly FollowedLine[]): string {
  return lines.map((line) => `id: ${line.position}\ndata: ${JSON.stringify(toLogLine(line))}\n\n`).join('');
}
