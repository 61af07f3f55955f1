import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';

/** How a run of crane ended. */
export interface CraneEnd {
  /** `null` when it was killed, or could not be started. */
  readonly exitCode: number | null;
  readonly stdout: string;
  /** The last lines that it said on standard error. */
  readonly lastLines: readonly string[];
}

/** Runs crane; a file that is given is its descriptor 3, known to it as `INPUT`. */
export type Crane = (args: readonly string[], input?: number) => Promise<CraneEnd>;

/** Crane opens its input by this name, several times: the file that is open already, whatever its path leads to by then. */
export const INPUT = '/proc/self/fd/3';

/** Its complaint is one line; before it may come some of its progress. */
const KEPT_LINES = 12;

export interface CraneProgram {
  /** The program's name or path. */
  readonly program: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Hears every line that it says on standard error. */
  readonly note: (line: string) => void;
}

/** The crane of this image, or of this machine. */
export function craneProgram({ program, env, note }: CraneProgram): Crane {
  return async (args, input) => {
    const lastLines: string[] = [];
    const child = spawn(program, args, {
      env: { ...env },
      stdio: ['ignore', 'pipe', 'pipe', input ?? 'ignore'],
    });
    const { stdout: out, stderr: complaints } = child;
    if (out === null || complaints === null) throw new Error('pipes were asked for');
    const ended = new Promise<number | null>((resolve) => {
      child.on('error', (error) => {
        lastLines.push(`${program} could not be started: ${error.message}`);
        resolve(null);
      });
      child.on('close', resolve);
    });
    const listening = (async () => {
      for await (const line of createInterface({ input: complaints })) {
        note(line);
        lastLines.push(line);
        if (lastLines.length > KEPT_LINES) lastLines.shift();
      }
    })();
    const [stdout, exitCode] = await Promise.all([text(out), ended, listening]);
    return { exitCode, stdout, lastLines };
  };
}
