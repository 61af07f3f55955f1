import { isSlessError } from '../../errors.ts';
import type { LogReading, PodLogs } from '../../ports/pod-logs.ts';
import { keyOf, type StartedContainer } from './containers.ts';
import { sizeOf, type WrittenLine } from './line.ts';
import type { Mark, Position } from './position.ts';

/** Of one answer; what is older is left out. */
const MAX_BYTES = 4 * 1024 * 1024;
/** Pods beyond it are left out: the oldest ones. */
export const MAX_CONTAINERS = 32;
/** Each is a request to the API server, which asks a kubelet. */
const AT_ONCE = 8;

export interface Newest {
  readonly lines: readonly WrittenLine[];
  readonly position: Position;
}

/**
 * The last lines of all these containers together, by their times. What a container writes meanwhile may be in it or not;
 * the position says which.
 *
 * @throws SlessError as `PodLogs.read`; `NotFound` only for a run before, when no container had one
 */
export async function newestLines(
  logs: Pick<PodLogs, 'read'>,
  containers: readonly StartedContainer[],
  reading: LogReading & { readonly lines: number },
): Promise<Newest> {
  // One line more than none says up to where a container has written.
  const asked = { ...reading, lines: Math.max(1, reading.lines) };
  const position = new Map<string, Mark>();
  let kept: WrittenLine[] = [];
  let [found, missing] = [0, undefined as unknown];
  for (let from = 0; from < containers.length; from += AT_ONCE) {
    const some = containers.slice(from, from + AT_ONCE);
    const read = await Promise.allSettled(some.map((container) => linesOf(logs, container, asked)));
    for (const [index, result] of read.entries()) {
      const container = some[index] as StartedContainer; // the results are of these very ones
      if (result.status === 'rejected') {
        if (!isSlessError(result.reason, 'NotFound')) throw result.reason;
        missing = result.reason;
        continue;
      }
      found += 1;
      const last = result.value.at(-1);
      if (last !== undefined)
        position.set(keyOf(container.ref), { time: last.time, restarts: container.restarts });
      kept.push(...result.value);
    }
    kept = newest(kept, reading.lines);
  }
  if (reading.previous === true && found === 0 && missing !== undefined) throw missing;
  return { lines: kept, position };
}

async function linesOf(
  logs: Pick<PodLogs, 'read'>,
  { ref, restarts }: StartedContainer,
  reading: LogReading,
): Promise<WrittenLine[]> {
  let held = 0;
  const lines: WrittenLine[] = [];
  for await (const line of logs.read(ref, reading)) {
    held += sizeOf(line);
    lines.push({ ...line, by: ref, restarts });
    for (let first = lines[0]; first !== undefined && held > MAX_BYTES; first = lines[0]) {
      held -= sizeOf(first);
      lines.shift();
    }
  }
  return lines;
}

function newest(lines: WrittenLine[], wanted: number): WrittenLine[] {
  lines.sort((a, b) => (a.time < b.time ? -1 : a.time > b.time ? 1 : 0));
  let held = 0;
  let from = lines.length;
  while (from > 0 && lines.length - from < wanted) {
    held += sizeOf(lines[from - 1] as WrittenLine); // within the list
    if (held > MAX_BYTES) break;
    from -= 1;
  }
  return lines.slice(from);
}
