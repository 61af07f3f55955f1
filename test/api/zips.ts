import { strToU8, zipSync } from 'fflate';

/** What files hold, by their names. */
export type Files = Readonly<Record<string, string | Uint8Array>>;

/** A zip of these files, dated as told: other dates make other bytes of the same tree. */
export function zipOf(files: Files, mtime = '2026-01-01T00:00:00Z'): Uint8Array {
  const entries = Object.entries(files).map(
    ([name, text]) => [name, typeof text === 'string' ? strToU8(text) : text] as const,
  );
  return zipSync(Object.fromEntries(entries), { mtime });
}

export const PYTHON = { 'handler.py': 'def handle(event):\n    return event\n' };
export const NODE = { 'handler.js': 'export const handle = (event) => event;\n' };
