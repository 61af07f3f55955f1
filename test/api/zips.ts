import { strToU8, zipSync } from 'fflate';

/** A zip of these texts, dated as told: other dates make other bytes of the same tree. */
export function zipOf(files: Readonly<Record<string, string>>, mtime = '2026-01-01T00:00:00Z'): Uint8Array {
  const entries = Object.entries(files).map(([name, text]) => [name, strToU8(text)] as const);
  return zipSync(Object.fromEntries(entries), { mtime });
}

export const PYTHON = { 'handler.py': 'def handle(event):\n    return event\n' };
export const NODE = { 'handler.js': 'export const handle = (event) => event;\n' };
