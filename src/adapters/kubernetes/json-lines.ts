import type { Readable } from 'node:stream';
import { SlessError } from '../../errors.ts';

const NEWLINE = 0x0a;

/** An object in etcd has 1.5 MiB at most; as JSON with its managed fields it stays far below this. */
const MAX_LINE_BYTES = 32 * 1024 * 1024;

/** Each line of a stream as JSON, as soon as it is complete. Half a line at the end is dropped: the stream was cut. */
export async function* jsonLines(stream: Readable): AsyncGenerator<unknown> {
  let parts: Buffer[] = [];
  let held = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    let from = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, from)) {
      const rest = chunk.subarray(from, end);
      const line = parts.length === 0 ? rest : Buffer.concat([...parts, rest]);
      parts = [];
      held = 0;
      from = end + 1;
      if (line.length > 0) yield parseLine(line);
    }
    if (from < chunk.length) parts.push(chunk.subarray(from));
    held += chunk.length - from;
    if (held > MAX_LINE_BYTES)
      throw new SlessError('Unavailable', `the API server sent a line longer than ${MAX_LINE_BYTES} bytes`);
  }
}

function parseLine(line: Buffer): unknown {
  try {
    return JSON.parse(line.toString('utf8'));
  } catch (error) {
    throw new SlessError('Unavailable', 'the API server sent a line that is no JSON', { cause: error });
  }
}
