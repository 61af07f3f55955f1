import type { Readable } from 'node:stream';
import { SlessError } from '../../errors.ts';

const NEWLINE = 0x0a;

/** Each line of a stream as soon as it is complete; what is longer than `maxBytes` comes in pieces, the last line as it ends. */
export async function* lines(stream: Readable, maxBytes: number): AsyncGenerator<Buffer> {
  let parts: Buffer[] = [];
  let held = 0;
  const take = (rest: Buffer): Buffer => {
    const line = parts.length === 0 ? rest : Buffer.concat([...parts, rest]);
    parts = [];
    held = 0;
    return line;
  };
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    let from = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, from)) {
      yield take(chunk.subarray(from, end));
      from = end + 1;
    }
    if (from === chunk.length) continue;
    parts.push(chunk.subarray(from));
    held += chunk.length - from;
    if (held >= maxBytes) yield take(Buffer.alloc(0));
  }
  if (held > 0) yield take(Buffer.alloc(0));
}

/** An object in etcd has 1.5 MiB at most; as JSON with its managed fields it stays far below this. */
const MAX_JSON_BYTES = 32 * 1024 * 1024;

/** Each line of a stream as JSON. A stream that is cut in the middle of one fails. */
export async function* jsonLines(stream: Readable): AsyncGenerator<unknown> {
  for await (const line of lines(stream, MAX_JSON_BYTES)) if (line.length > 0) yield parseLine(line);
}

function parseLine(line: Buffer): unknown {
  try {
    return JSON.parse(line.toString('utf8'));
  } catch (error) {
    throw new SlessError('Unavailable', 'the API server sent a line that is no JSON', { cause: error });
  }
}
