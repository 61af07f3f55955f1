import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';

interface CommandOptions {
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
}

/** Enough of a complaint to see what went wrong; tools repeat themselves for every file. */
const MAX_COMPLAINT = 2_000;

/** Standard output of a command; fails with the start of its standard error. */
export async function run(words: readonly string[], options: CommandOptions = {}): Promise<string> {
  const [program = '', ...args] = words;
  const child = spawn(program, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = new Promise<number | null>((resolve, reject) => {
    child.on('error', reject).on('close', resolve);
  });
  const [out, complaint, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  if (code === 0) return out.trim();
  // Some tools complain on standard output.
  const said = (complaint || out).slice(0, MAX_COMPLAINT);
  throw new Error(`${program} ${args.join(' ')} ended with ${code}: ${said}`);
}
