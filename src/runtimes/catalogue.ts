import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

const installSchema = z.strictObject({
  /** The file in the function's root whose presence asks for this step. The first step of the list that matches is run. */
  file: z.string(),
  /** The command line of the Dockerfile's RUN. */
  docker: z.string(),
  /** The same for local mode: an argument vector, run in the function's folder. */
  local: z.array(z.string()).min(1),
});

/** `runtimes/<name>/runtime.json`: all that sless knows of a language. Adding one edits no TypeScript. */
export const runtimeManifestSchema = z.strictObject({
  name: z.string(),
  /** For people, such as `Python 3.11`. */
  title: z.string(),
  /** `v<major>.<minor>.<patch>`, the tag of the runtime image. */
  version: z.string().regex(/^v\d+\.\d+\.\d+$/),
  /** Repository of the runtime image below the registry's prefix, such as `sless-runtime-python3.11`. */
  image: z.string(),
  /** The default of `spec.entrypoint`. */
  entrypoint: z.string(),
  /** What may follow the module's path to make a file, in the order they are tried: `.py`, `/__init__.py`. */
  moduleSuffixes: z.array(z.string()).min(1),
  install: z.array(installSchema),
  local: z.strictObject({
    /** The server's argument vector, run in `runtimes/<name>/`. `{node}` stands for the Node that runs sless. */
    command: z.array(z.string()).min(1),
    /** An argument vector (`{node}` as above) that exits 0 where this runtime can run; else it is left out, with `missing` as the reason. */
    probe: z.array(z.string()).min(1),
    missing: z.string(),
    /** Environment that makes locally installed dependencies visible; `{function}` is the function's folder. */
    env: z.record(z.string(), z.string()).default({}),
  }),
});

export type RuntimeManifest = z.infer<typeof runtimeManifestSchema>;

/** A runtime with the folder that it came from. */
export interface Runtime extends RuntimeManifest {
  readonly folder: string;
}

/** Runtimes by name. Frozen. */
export type RuntimeCatalogue = ReadonlyMap<string, Runtime>;

/**
 * Reads every `<folder>/<name>/runtime.json`, at start and only then.
 *
 * @throws Error naming the file, when one is malformed or its name is not its folder's.
 */
export function loadRuntimes(folder: string): RuntimeCatalogue {
  const names = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort();
  return new Map(names.map((name) => [name, loadRuntime(join(folder, name), name)]));
}

function loadRuntime(folder: string, name: string): Runtime {
  const file = join(folder, 'runtime.json');
  const parsed = runtimeManifestSchema.safeParse(readJson(file));
  if (!parsed.success) throw new Error(`${file}: ${z.prettifyError(parsed.error)}`);
  if (parsed.data.name !== name) throw new Error(`${file}: the name must be that of its folder, ${name}`);
  return deepFreeze({ ...parsed.data, folder });
}

function readJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`${file}: ${reason}`, { cause: error });
  }
}

function deepFreeze<T extends object>(value: T): T {
  for (const inner of Object.values(value)) {
    if (typeof inner === 'object' && inner !== null) deepFreeze(inner);
  }
  return Object.freeze(value);
}
