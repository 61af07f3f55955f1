import { Readable } from 'node:stream';
import { isSlessError, SlessError } from '../../errors.ts';
import type { ContainerRef, LogLine, LogReading, LogTail, PodLogs } from '../../ports/pod-logs.ts';
import { KINDS } from '../../resources/kube/kinds.ts';
import { objectPath } from './api-path.ts';
import { type ApiRequest, type Connection, connectionError } from './connection.ts';
import { lines } from './lines.ts';

/** The lines of a tail may be long, so that it takes longer than other requests; nobody waits longer than this for it. */
const TAIL_TIMEOUT_MS = 30_000;
const MAX_LINE_BYTES = 64 * 1024;

/** Logs as the API server fetches them from the kubelets. */
export function createKubernetesPodLogs({ connection }: { readonly connection: Connection }): PodLogs {
  return {
    tail: async (container, tail) => {
      const request = logRequest(container, { tailLines: tail.lines, previous: tail.previous });
      const signal = AbortSignal.timeout(TAIL_TIMEOUT_MS);
      const stream = await openLog(connection, request, signal);
      // The server's own `limitBytes` counts from the start of the tail, and what matters stands at its end.
      return lastBytes(stream, tail).catch((error: unknown) => {
        throw connectionError(error, `GET ${request.path}`);
      });
    },
    read: (container, reading) => readLog(connection, container, reading),
  };
}

async function* readLog(
  connection: Connection,
  container: ContainerRef,
  { lines: tailLines, after, previous, follow, signal }: LogReading,
): AsyncGenerator<LogLine> {
  // Kubelets look at whole seconds of `sinceTime`: what they tell beyond it is left out here.
  const sinceTime = after === undefined ? undefined : `${after.slice(0, WHOLE_SECOND)}Z`;
  const request = logRequest(container, { tailLines, sinceTime, previous, follow, timestamps: true });
  const decoder = new TextDecoder();
  let time = '';
  try {
    const stream = await openLog(connection, request, signal);
    for await (const bytes of lines(stream, MAX_LINE_BYTES)) {
      const piece = decoder.decode(bytes, { stream: true });
      const [whole = '', second = '', fraction = '', zone = ''] = STAMP.exec(piece) ?? [];
      // What has no time of its own goes on with the line before.
      if (whole !== '') time = utc(second, fraction, zone);
      if (after === undefined || time > after) yield { time, text: piece.slice(whole.length) };
    }
  } catch (error) {
    if (!signal.aborted) throw connectionError(error, `GET ${request.path}`);
  }
}

/** `2026-03-01T12:00:00`. */
const WHOLE_SECOND = 19;
const STAMP = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d+))?(Z|[+-]\d\d:\d\d) /;

/** Container runtimes write the time of their node's zone. */
function utc(second: string, fraction: string, zone: string): string {
  const inUtc = zone === 'Z' ? second : new Date(`${second}${zone}`).toISOString().slice(0, WHOLE_SECOND);
  return `${inUtc}.${fraction.padEnd(9, '0').slice(0, 9)}Z`;
}

function logRequest({ namespace, pod, container }: ContainerRef, query: ApiRequest['query']): ApiRequest {
  const path = objectPath({ kind: KINDS.Pod, namespace, name: pod }, 'log');
  return { method: 'GET', path, query: { container, ...query } };
}

async function openLog(connection: Connection, request: ApiRequest, signal: AbortSignal): Promise<Readable> {
  try {
    // A function may say nothing for hours: silence proves nothing here.
    return await connection.stream(request, { signal, silenceMs: 0 });
  } catch (error) {
    if (!isSlessError(error, 'Invalid')) throw error;
    // The API server answers 400 to all of these, and only its words tell them apart.
    if (/waiting to start/.test(error.message)) return Readable.from([]);
    if (/not found|is not valid for pod/.test(error.message))
      throw new SlessError('NotFound', error.message, { cause: error });
    throw error;
  }
}

async function lastBytes(stream: Readable, { bytes }: LogTail): Promise<string> {
  const kept: Buffer[] = [];
  let held = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    kept.push(chunk);
    held += chunk.length;
    while (kept[0] !== undefined && held - kept[0].length >= bytes) held -= kept.shift()?.length ?? 0;
  }
  const all = Buffer.concat(kept);
  return all.subarray(characterAt(all, Math.max(0, all.length - bytes))).toString('utf8');
}

/** The first byte from here on that begins a character. */
function characterAt(bytes: Buffer, from: number): number {
  let at = from;
  while (from > 0 && at < from + 3 && ((bytes[at] ?? 0) & 0xc0) === 0x80) at += 1;
  return at;
}
