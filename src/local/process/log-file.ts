import { type FileHandle, mkdir, open, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Writable } from 'node:stream';
import { createStamps, RUN_BEGINS, RUN_ENDS } from './log-format.ts';

/** Kubernetes takes as much of the output for a termination message: 2048 bytes or 80 lines, whichever is less. */
const TAIL_BYTES = 2048;
const TAIL_LINES = 80;

interface LogFileOptions {
  readonly path: string;
  /** Beyond it the file becomes `<path>.1`, whose predecessor is thrown away: twice this is what a log can take. */
  readonly maxBytes: number;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

const LINE_FEED = 0x0a;

/** The output of one container: kept in a bounded file, its end also at hand. */
export class LogFile extends Writable {
  readonly path: string;
  readonly #maxBytes: number;
  #file: FileHandle | undefined;
  #size = 0;
  #tail = Buffer.alloc(0);
  readonly #stamp: () => string;
  /** Chunks that are marks of ours, on their way through the same queue as the output. */
  readonly #marks = new WeakSet<Buffer>();
  #isInLine = false;

  constructor({ path, maxBytes, now = Date.now }: LogFileOptions) {
    super();
    this.path = path;
    this.#maxBytes = maxBytes;
    this.#stamp = createStamps(now);
  }

  /** When all that was written so far counts in the tail. */
  settled(): Promise<void> {
    return new Promise((resolve) => this.write('', () => resolve()));
  }

  /** The last lines. Begins with a whole line where there is one. */
  tail(): string {
    const text = this.#tail.toString('utf8').trimEnd();
    const cut = this.#tail.length === TAIL_BYTES ? text.slice(text.indexOf('\n') + 1) : text;
    return cut.split('\n').slice(-TAIL_LINES).join('\n');
  }

  /** Forgets the end of what came before, as a new run of the container begins. */
  beginRun(): void {
    this.#tail = Buffer.alloc(0);
    this.#mark(RUN_BEGINS);
  }

  /** Nothing more comes of this run. */
  endRun(): void {
    this.#mark(RUN_ENDS);
  }

  #mark(word: string): void {
    const mark = Buffer.from(word);
    this.#marks.add(mark);
    this.write(mark);
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    const isMark = this.#marks.has(chunk);
    if (!isMark) this.#tail = Buffer.concat([this.#tail, chunk]).subarray(-TAIL_BYTES);
    // A full disk costs log lines, never the function that writes them.
    this.#append(isMark ? this.#marked(chunk) : this.#stamped(chunk)).then(
      () => done(),
      () => done(),
    );
  }

  #marked(mark: Buffer): Buffer {
    const feed = this.#isInLine ? '\n' : '';
    this.#isInLine = false;
    return Buffer.from(`${feed}${mark}${this.#stamp()}\n`);
  }

  /** The chunk with the time before each line that begins in it. */
  #stamped(chunk: Buffer): Buffer {
    const parts: Buffer[] = [];
    for (let from = 0; from < chunk.length; ) {
      const feed = chunk.indexOf(LINE_FEED, from);
      const end = feed === -1 ? chunk.length : feed + 1;
      if (!this.#isInLine) parts.push(Buffer.from(`${this.#stamp()} `));
      parts.push(chunk.subarray(from, end));
      this.#isInLine = feed === -1;
      from = end;
    }
    return Buffer.concat(parts);
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    (this.#file?.close() ?? Promise.resolve()).then(() => done(error), done);
  }

  async #append(chunk: Buffer): Promise<void> {
    if (this.#file === undefined) await this.#open();
    else if (this.#size + chunk.length > this.#maxBytes) await this.#rotate();
    await this.#file?.appendFile(chunk);
    this.#size += chunk.length;
  }

  async #open(): Promise<void> {
    await mkdir(dirname(this.path), { recursive: true });
    this.#file = await open(this.path, 'a', 0o600);
    this.#size = (await this.#file.stat()).size;
  }

  async #rotate(): Promise<void> {
    await this.#file?.close();
    await rename(this.path, `${this.path}.1`);
    await this.#open();
  }
}
