import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from '../config/config.ts';
import { isSlessError } from '../errors.ts';
import { fetchContext } from '../fetch/fetch-context.ts';
import { exitCodeOf } from '../fetch/refusal.ts';

const note = (line: string): void => void process.stderr.write(`sless fetch: ${line}\n`);

/**
 * The first step of a build. The exit code tells the Job whether another try makes sense, and the last line of standard
 * error, `sless fetch: <error code>: <message>`, tells the reporter why it failed.
 */
export async function runFetch(config: Config): Promise<void> {
  // Required of this role, so `loadConfig` has refused to go on without them.
  const { contextUrl = '', contextFile = '', contextFormat = 'layer', contextTokenFile = '' } = config;
  const options = { url: contextUrl, file: contextFile, format: contextFormat, tokenFile: contextTokenFile };
  try {
    await fetchContext({ sleep, random: Math.random, note }, options);
    process.stdout.write(
      `sless fetch: ${contextFile} is there after ${Math.round(process.uptime() * 1000)} ms\n`,
    );
  } catch (error) {
    if (!isSlessError(error)) throw error;
    note(`${error.code}: ${error.message}`);
    process.exitCode = exitCodeOf(error);
  }
}
