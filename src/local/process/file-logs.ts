import { join } from 'node:path';
import { SlessError } from '../../errors.ts';
import type { Cluster } from '../../ports/cluster.ts';
import type { ContainerRef, LogLine, LogReading, PodLogs } from '../../ports/pod-logs.ts';
import { KINDS } from '../../resources/kube/kinds.ts';
import type { PodSpec } from '../pod/pod-spec.ts';
import { CAUGHT_UP, growingLines } from './growing-file.ts';
import { parseFileLine } from './log-format.ts';

interface FileLogsDeps {
  readonly cluster: Pick<Cluster, 'get'>;
  /** Of `<namespace>/<pod>/<container>.log`, as `LogFile` writes them. */
  readonly folder: string;
}

/** Logs as local mode keeps them, of the pods that there are. */
export function createFileLogs({ cluster, folder }: FileLogsDeps): PodLogs {
  const find = async ({ namespace, pod, container }: ContainerRef): Promise<string> => {
    const found = await cluster.get({ kind: KINDS.Pod, namespace, name: pod });
    if (found === undefined) throw new SlessError('NotFound', `there is no pod ${pod}`);
    const { initContainers = [], containers } = found.spec as PodSpec; // the API hands out Pods of this shape
    if (![...initContainers, ...containers].some(({ name }) => name === container))
      throw new SlessError('NotFound', `the pod ${pod} has no container ${container}`);
    return join(folder, namespace, pod, `${container}.log`);
  };
  return {
    tail: async (container, { lines, bytes, previous = false }) => {
      const texts: string[] = [];
      const reading = { lines, previous, signal: AbortSignal.abort() };
      for await (const { text } of readRun(await find(container), reading)) texts.push(`${text}\n`);
      const all = Buffer.from(texts.join(''));
      return all.subarray(characterAt(all, all.length - bytes)).toString('utf8');
    },
    read: async function* (container, reading) {
      yield* readRun(await find(container), reading);
    },
  };
}

/** The first byte from here on that begins a character. */
function characterAt(bytes: Buffer, from: number): number {
  let at = Math.max(0, from);
  while (from > 0 && ((bytes[at] ?? 0) & 0xc0) === 0x80) at += 1;
  return at;
}

/** The last run of a log, or the one before; its lines as they come once those that were there are told. */
async function* readRun(path: string, reading: LogReading): AsyncGenerator<LogLine> {
  const { after = '', previous = false, follow = false, signal } = reading;
  let before: LogLine[] | undefined;
  let run: LogLine[] | undefined;
  let [isCurrent, isOver, time] = [false, false, ''];
  for await (const raw of growingLines(path, signal)) {
    if (raw === CAUGHT_UP) {
      if (!isCurrent) yield* chosen(previous ? before : (run ?? []), reading);
      isCurrent = true;
      if (isOver || previous || !follow || signal.aborted) return;
      continue;
    }
    const line = parseFileLine(raw);
    if (line.mark !== undefined) {
      if (isCurrent && run !== undefined) return;
      isOver = line.mark === 'end';
      if (!isOver) [before, run] = [run, []];
      continue;
    }
    time = line.time ?? time;
    run ??= [];
    if (!isCurrent) run.push({ time, text: line.text });
    else if (time > after) yield { time, text: line.text };
  }
}

function chosen(run: readonly LogLine[] | undefined, { lines, after = '' }: LogReading): readonly LogLine[] {
  if (run === undefined) throw new SlessError('NotFound', 'there was no run of the container before');
  const last = lines === undefined ? run : run.slice(Math.max(0, run.length - lines));
  return last.filter(({ time }) => time > after);
}
