import { type FileHandle, mkdir, open, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Writable } from 'node:stream';

/** Kubernetes takes as much of the output for a termination message: 2048 bytes or 80 lines, whichever is less. */
const TAIL_BYTES = 2048;
const TAIL_LINES = 80;

interface LogFileOptions {
  readonly path: string;
  /** Beyond it the file becomes `<path>.1`, whose predecessor is thrown away: twice this is what a log can take. */
  readonly maxBytes: number;
}

/** The output of one container: kept in a bounded file, its end also at hand. */
export class LogFile extends Writable {
  readonly path: string;
  readonly #maxBytes: number;
  #file: FileHandle | undefined;
  #size = 0;
  #tail = Buffer.alloc(0);

  constructor({ path, maxBytes }: LogFileOptions) {
    super();
    this.path = path;
    this.#maxBytes = maxBytes;
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
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#tail = Buffer.concat([this.#tail, chunk]).subarray(-TAIL_BYTES);
    // A full disk costs log lines, never the function that writes them.
    this.#append(chunk).then(
      () => done(),
      () => done(),
    );
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
