import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { zipSync } from 'fflate';

/** A function that comes with sless. */
export interface Sample {
  /** Also its folder under `examples/`. */
  readonly name: string;
  readonly runtime: string;
}

export const SAMPLES: readonly Sample[] = [
  { name: 'hello-node', runtime: 'nodejs20' },
  { name: 'hello-python', runtime: 'python3.11' },
];

/** The zip of a folder, as a user would make it. */
export function zipFolder(folder: string): Uint8Array {
  const names = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));
  return zipSync(Object.fromEntries(names.map((name) => [name, readFileSync(join(folder, name))])));
}
