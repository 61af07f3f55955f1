import { createHash } from 'node:crypto';

/** A file of a function, as everything after the zip knows it. */
export interface SourceFile {
  /** Relative to the function's folder, `/` between segments, NFC. */
  readonly path: string;
  /** Bytes. */
  readonly size: number;
  readonly executable: boolean;
  /** Of the content, lower-case hex. */
  readonly sha256: string;
}

/**
 * The hash of a tree: SHA-256 (hex) over the lines `644|755 <sha256 hex> <path>\n`, sorted by the UTF-8 bytes of the
 * path. It knows nothing of dates, of the order in a zip, or of how it was compressed.
 * The vectors in `test/vectors/code-hash.json` are shared with every other implementation.
 */
export function codeHash(files: readonly Pick<SourceFile, 'path' | 'executable' | 'sha256'>[]): string {
  const hash = createHash('sha256');
  for (const file of files.toSorted((a, b) => comparePaths(a.path, b.path)))
    hash.update(`${file.executable ? '755' : '644'} ${file.sha256} ${file.path}\n`);
  return hash.digest('hex');
}

/** The order of the UTF-8 bytes. Comparing strings would follow UTF-16, where U+1F600 comes before U+FF01. */
export function comparePaths(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
