import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

const installSchema = z.strictObject({
  /**
   * Files in the function's root that ask for this step when all of them are there. The first step of the list that is
   * asked for is run.
   */
  files: z.array(z.string()).min(1),
  /** The command line of the Dockerfile's RUN. */
  docker: z.string(),
  /** The same for local mode: an argument vector, run in the function's folder. */
  local: z.array(z.string()).min(1),
});

/** How a file shows that it asks for anything; one that shows nothing of the kind asks for no step. */
const askingSchema = z.strictObject({
  /** The file is JSON, and one of these members (`scripts.install` lies in `scripts`) holds something. */
  members: z.array(z.string()).min(1).optional(),
  /** A line of the file matches this regular expression. */
  line: z.string().refine(isPattern, 'must be a regular expression').optional(),
});

function isPattern(pattern: string): boolean {
  try {
    new RegExp(pattern);
    return true;
  } catch {
    return false;
  }
}

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
  /** By a file of `install`: what in it asks for something. A file that is not named here asks by being there. */
  asking: z.record(z.string(), askingSchema).optional(),
  local: z.strictObject({
    /** Programs that may run it, in the order they are tried. `{program}` stands for the first whose probe succeeds. */
    programs: z.array(z.string()).min(1).optional(),
    /**
     * The server's argument vector, run in `runtimes/<name>/`. `{node}` stands for the Node that runs sless, `{program}` as
     * above; so in `install`.
     */
    command: z.array(z.string()).min(1),
    /**
     * An argument vector (placeholders as above) that exits 0 where this runtime can run; else it is left out, with
     * `missing` as the reason. When it prints an absolute path, that is the program: behind the shim of a version manager,
     * which is slow and chooses by the folder it is called in, lies the real one.
     */
    probe: z.array(z.string()).min(1),
    missing: z.string(),
    /** How functions run otherwise here than on a cluster, told at each start; `{nodeVersion}` is that of sless itself. */
    note: z.string().optional(),
    /** Environment that makes locally installed dependencies visible; `{function}` is the function's folder. */
    env: z.record(z.string(), z.string()).default({}),
  }),
});

export type RuntimeManifest = z.infer<typeof runtimeManifestSchema>;

/** One step that installs what a function depends on. */
export type InstallStep = z.infer<typeof installSchema>;

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
