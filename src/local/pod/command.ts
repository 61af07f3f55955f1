import { delimiter, dirname } from 'node:path';
import type { Runtime, RuntimeCatalogue } from '../../runtimes/catalogue.ts';
import type { LocalImage } from '../build/images.ts';
import { nearPath } from '../file.ts';
import type { Command } from '../process/guarded.ts';
import { resolveProgram, searchPath } from '../process/program.ts';

/** The runtime of a runtime image such as `registry/sless-runtime-nodejs20:v1.0.0`. Local mode has one version of each. */
export function runtimeOf(runtimes: RuntimeCatalogue, image: string): Runtime | undefined {
  const repository = image.slice(image.lastIndexOf('/') + 1).replace(/[:@].*$/, '');
  return [...runtimes.values()].find((runtime) => runtime.image === repository);
}

interface ServerCommand {
  readonly image: LocalImage;
  readonly runtime: Runtime;
  /** What the pod's template gives the container. */
  readonly env: Readonly<Record<string, string>>;
  readonly port: number;
  /** A folder of this pod's own: its HOME and its /tmp. */
  readonly temporary: string;
  /** Its log. Calls come from this very machine, so an answer may name it. */
  readonly logFile: string;
  /** The PATH of the machine, on which the runtime's program is looked for. */
  readonly machinePath: string | undefined;
}

/**
 * The runtime's server with one function: an environment as bare as in a container, nothing of the platform's own. The
 * server begins in its own folder and goes to the function's by itself.
 */
export function serverCommand(server: ServerCommand): Command {
  const { image, runtime, env, port, temporary } = server;
  const [program = '', ...args] = resolveProgram(runtime.local.command, searchPath(server.machinePath));
  const provided = Object.entries(runtime.local.env).map(([name, value]) => [
    name,
    provide(value, image.functionFolder, env[name]),
  ]);
  return {
    argv: [program, ...args],
    cwd: runtime.folder,
    env: {
      PATH: [dirname(program), '/usr/local/bin', '/usr/bin', '/bin'].join(delimiter),
      HOME: temporary,
      TMPDIR: temporary,
      LANG: 'C.UTF-8',
      ...env,
      ...Object.fromEntries(provided),
      PORT: String(port),
      SLESS_HOST: '127.0.0.1',
      SLESS_FUNCTION_DIR: image.functionFolder,
      SLESS_LOG_FILE: nearPath(server.logFile),
    },
  };
}

/**
 * A runtime's variable beside the user's own. One that names the function's folder is a search path for dependencies:
 * what the user set is looked at first, and the dependencies are still found. Of any other the user's word counts.
 */
function provide(value: string, folder: string, own: string | undefined): string {
  if (!value.includes('{function}')) return own ?? value;
  const path = value.replaceAll('{function}', folder);
  return own === undefined || own === '' ? path : [own, path].join(delimiter);
}
