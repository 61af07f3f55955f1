import { type Command, Option } from 'commander';
import { type Client, createClient } from './client.ts';
import { targetOf } from './contexts.ts';
import { CliFailure, EXIT } from './failure.ts';
import { FORMATS, type Format } from './output.ts';
import type { World } from './world.ts';

/** Options that every command of the api has. */
export interface TargetOptions {
  readonly context?: string;
  readonly namespace?: string;
}

export interface ShowOptions extends TargetOptions {
  readonly output: Format;
}

/** Adds the options that say where a command goes. */
export function aimed(command: Command): Command {
  return command
    .option('--context <name>', 'another context than the current one')
    .option('-n, --namespace <namespace>', "another namespace than the token's own");
}

/** The same, and how the answer is shown. */
export function showing(command: Command): Command {
  return aimed(command).addOption(
    new Option('-o, --output <format>', 'how to show it').choices(FORMATS).default('table'),
  );
}

export const clientFor = (world: World, options: TargetOptions): Client =>
  createClient(world, targetOf(world, options));

/** A name as one segment of a path, whatever was typed. */
export const segment = (name: string): string => encodeURIComponent(name);

/** What commands are registered with. */
export interface Runner {
  readonly world: World;
  /** An action whose failures end in one sentence and an exit code. */
  run<A extends unknown[]>(work: (...args: A) => Promise<void>): (...args: A) => Promise<void>;
}

/** A number of seconds that was typed for an option. */
export function seconds(text: string, option: string): number {
  const number = Number(text);
  if (Number.isFinite(number) && number > 0) return number;
  throw new CliFailure(
    `${option} must be a number of seconds above 0 (it is ${JSON.stringify(text)})`,
    EXIT.usage,
  );
}
