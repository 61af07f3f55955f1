import { execFile } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Builds `bench/peers/go-proxy`; `undefined`, and said aloud, where there is no Go. */
export async function buildGoProxy(say: (line: string) => void): Promise<string | undefined> {
  const folder = join(import.meta.dirname, '../peers/go-proxy');
  const binary = join(tmpdir(), 'sless-bench', 'go-proxy');
  try {
    await mkdir(join(tmpdir(), 'sless-bench'), { recursive: true });
    const { stdout } = await run('go', ['version']);
    await run('go', ['build', '-o', binary, '.'], { cwd: folder });
    say(`go: ${stdout.trim()}`);
    return binary;
  } catch (error) {
    say(`go: left out (${error instanceof Error ? error.message.split('\n')[0] : error})`);
    return undefined;
  }
}
