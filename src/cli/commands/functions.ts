import type { Command } from 'commander';
import type { ApiFunction, ApiVersion } from '../api-types.ts';
import type { Client } from '../client.ts';
import { CliFailure, EXIT } from '../failure.ts';
import { show } from '../output.ts';
import {
  aimed,
  clientFor,
  type Runner,
  type ShowOptions,
  segment,
  showing,
  type TargetOptions,
} from '../session.ts';
import { FUNCTIONS, VERSIONS } from '../tables.ts';
import { untilReady } from '../waiting.ts';
import { note, print } from '../world.ts';

const WAIT_MS = 600_000;

/** What is asked of functions that are there, and done to them. */
export function registerFunctions(program: Command, runner: Runner): void {
  registerReads(program, runner);
  registerPower(program, runner);
  registerRollback(program, runner);
}

function registerReads(program: Command, { world, run }: Runner): void {
  showing(program.command('list').alias('ls'))
    .description('shows the functions')
    .action(
      run(async (options: ShowOptions) => {
        const items = await clientFor(world, options).all<ApiFunction>('/functions');
        if (items.length === 0) note(world, 'no functions yet: `sless init`, then `sless deploy`');
        show(world, items, { format: options.output, table: FUNCTIONS });
      }),
    );
  showing(program.command('get <function>'))
    .description('shows one function')
    .action(
      run(async (name: string, options: ShowOptions) => {
        const shown = await clientFor(world, options).ask<ApiFunction>('GET', `/functions/${segment(name)}`);
        show(world, shown, { format: options.output, table: FUNCTIONS });
      }),
    );
  showing(program.command('versions <function>'))
    .description('shows what can be gone back to')
    .action(
      run(async (name: string, options: ShowOptions) => {
        const items = await versionsOf(clientFor(world, options), name);
        show(world, items, { format: options.output, table: VERSIONS });
      }),
    );
}

function registerPower(program: Command, { world, run }: Runner): void {
  const does = (word: string, description: string, done: string): void => {
    aimed(program.command(`${word} <function>`))
      .description(description)
      .action(
        run(async (name: string, options: TargetOptions) => {
          await clientFor(world, options).ask('POST', `/functions/${segment(name)}/${word}`);
          print(world, `${name} ${done}`);
        }),
      );
  };
  does('start', 'brings back what stop took away', 'starts');
  does('stop', 'scales a function to nothing, and keeps it', 'stops');
  does('restart', 'replaces the pods one after another, so that changed secrets take effect', 'restarts');
  aimed(program.command('delete <function>'))
    .description('deletes a function; its triggers stay')
    .action(
      run(async (name: string, options: TargetOptions) => {
        await clientFor(world, options).ask('DELETE', `/functions/${segment(name)}`);
        print(world, `${name} is deleted`);
      }),
    );
}

function registerRollback(program: Command, { world, run }: Runner): void {
  aimed(program.command('rollback <function> [key]'))
    .description('goes back to a version without a build; without a key to the last good one')
    .action(
      run(async (name: string, given: string | undefined, options: TargetOptions) => {
        const client = clientFor(world, options);
        const key = given ?? (await versionBefore(client, name));
        await client.ask('POST', `/functions/${segment(name)}/rollback`, { json: { s3_key: key } });
        const onChange = ({ phase }: ApiFunction): void => note(world, phase);
        await untilReady(client, world, { name: segment(name), key, withinMs: WAIT_MS, onChange });
        print(world, `${name} serves ${key}`);
      }),
    );
}

async function versionsOf(client: Client, name: string): Promise<readonly ApiVersion[]> {
  return (await client.ask<{ items: readonly ApiVersion[] }>('GET', `/functions/${segment(name)}/versions`))
    .items;
}

/**
 * Where there is a way back to: while a newer upload does not serve, the version that does; else the newest one before it
 * that has served.
 */
async function versionBefore(client: Client, name: string): Promise<string> {
  const items = await versionsOf(client, name);
  const { s3_key: wanted } = await client.ask<ApiFunction>('GET', `/functions/${segment(name)}`);
  const current = items.findIndex((version) => version.current);
  const serving = items[current];
  if (serving !== undefined && serving.s3_key !== wanted) return serving.s3_key;
  const before = items.slice(current + 1).find((version) => version.served);
  if (before !== undefined) return before.s3_key;
  throw new CliFailure(
    `${name} has no version before its current one that has served; \`sless versions ${name}\` shows all`,
    EXIT.notFound,
  );
}
