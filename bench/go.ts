import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Builds a program of `bench/peers` into a folder; `undefined`, and said aloud, where there is no Go. */
export async function buildGo(
  peer: 'go-proxy' | 'go-consumer',
  into: string,
  say: (line: string) => void,
): Promise<string | undefined> {
  const folder = join(import.meta.dirname, 'peers', peer);
  const binary = join(into, peer);
  try {
    const { stdout } = await run('go', ['version']);
    await run('go', ['build', '-o', binary, '.'], { cwd: folder });
    say(`go: ${stdout.trim()}`);
    return binary;
  } catch (error) {
    say(`go: left out (${error instanceof Error ? error.message.split('\n')[0] : error})`);
    return undefined;
  }
}
