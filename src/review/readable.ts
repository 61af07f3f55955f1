/** A file of a function on its way through the gate. Its content is read once, or not at all. */
export interface IncomingFile {
  /** Relative to the function's folder, with slashes. */
  readonly name: string;
  readonly content: AsyncIterable<Uint8Array>;
}

/** A file that a model is shown. */
export interface ReviewedFile {
  readonly name: string;
  readonly content: string;
}

const READABLE = ['.py', '.js', '.ts', '.json', '.yaml', '.yml', '.txt', '.sh', '.sql', '.go'];

/** Whether a file is read: a text of a known kind, and nobody's dependency. Module kinds of JavaScript count as `.js`. */
export function isReadable(name: string): boolean {
  const plain = name.toLowerCase().replace(/\.[mc](?=[jt]s$)/, '.');
  return !name.split('/').includes('node_modules') && READABLE.some((suffix) => plain.endsWith(suffix));
}
