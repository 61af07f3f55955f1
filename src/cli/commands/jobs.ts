import type { Command } from 'commander';
import type { ApiJob } from '../api-types.ts';
import type { Client } from '../client.ts';
import { CliFailure, EXIT } from '../failure.ts';
import { show } from '../output.ts';
import {
  aimed,
  clientFor,
  type Runner,
  type ShowOptions,
  seconds,
  segment,
  showing,
  type TargetOptions,
} from '../session.ts';
import { JOBS } from '../tables.ts';
import { note, print, type World } from '../world.ts';

interface RunOptions extends TargetOptions {
  readonly name?: string;
  readonly event?: string;
  readonly retries?: string;
  readonly timeout?: string;
  readonly wait: boolean;
  readonly waitTimeout: string;
}

/** `job …`: running a function once. */
export function registerJobs(program: Command, { world, run }: Runner): void {
  const job = program.command('job').description('runs of a function, once each');
  aimed(job.command('run <function>'))
    .description('runs a function once and writes its result')
    .option('--name <name>', "the job's name: one that is there runs again; by default {function}-run")
    .option('-e, --event <json>', 'the event, as JSON')
    .option('--retries <number>', 'tries after a failure')
    .option('--timeout <seconds>', 'the time limit of the run')
    .option('--no-wait', 'does not wait for its end')
    .option('--wait-timeout <seconds>', 'how long to wait for its end', '900')
    .action(run((name: string, options: RunOptions) => runJob(world, name, options)));
  showing(job.command('list', { isDefault: true }).alias('ls'))
    .description('shows the jobs')
    .action(
      run(async (options: ShowOptions) => {
        const items = await clientFor(world, options).all<ApiJob>('/jobs');
        show(world, items, { format: options.output, table: JOBS });
      }),
    );
  showing(job.command('get <job>'))
    .description('shows one job')
    .action(
      run(async (name: string, options: ShowOptions) => {
        const shown = await clientFor(world, options).ask<ApiJob>('GET', `/jobs/${segment(name)}`);
        show(world, shown, { format: options.output, table: JOBS });
      }),
    );
  aimed(job.command('delete <job>'))
    .description('deletes a job and ends what runs of it')
    .action(
      run(async (name: string, options: TargetOptions) => {
        await clientFor(world, options).ask('DELETE', `/jobs/${segment(name)}`);
        print(world, `${name} is deleted`);
      }),
    );
}

async function runJob(world: World, name: string, options: RunOptions): Promise<void> {
  const client = clientFor(world, options);
  const job = options.name ?? `${name}-run`;
  const runId = await begin(client, { job, name, options });
  note(world, `${job} runs (${runId})`);
  if (!options.wait) return;
  const withinMs = 1000 * seconds(options.waitTimeout, '--wait-timeout');
  const ended = await untilEnded(client, world, { job, runId, withinMs });
  if (ended.phase !== 'Succeeded') throw new CliFailure(ended.message || `the run ended as ${ended.phase}`);
  if (ended.result !== null) print(world, ended.result);
}

interface Begin {
  readonly job: string;
  readonly name: string;
  readonly options: RunOptions;
}

/** Creates the job, or raises the number of its run. @returns the run's number */
async function begin(client: Client, { job, name, options }: Begin): Promise<number> {
  const fields = {
    ...(options.event === undefined ? {} : { event_json: options.event }),
    ...(options.retries === undefined ? {} : { retries: Number(options.retries) }),
    ...(options.timeout === undefined ? {} : { timeout_seconds: Number(options.timeout) }),
  };
  const before = await found(client, job);
  if (before === undefined)
    return (
      await client.ask<ApiJob>('POST', '/jobs', { json: { name: job, function: name, run_id: 1, ...fields } })
    ).run_id;
  if (before.function !== name)
    throw new CliFailure(`the job ${job} is of ${before.function}; choose another --name`, EXIT.conflict);
  const json = { run_id: before.run_id + 1, ...fields };
  return (await client.ask<ApiJob>('PATCH', `/jobs/${segment(job)}`, { json })).run_id;
}

async function found(client: Client, job: string): Promise<ApiJob | undefined> {
  try {
    return await client.ask<ApiJob>('GET', `/jobs/${segment(job)}`);
  } catch (error) {
    if (error instanceof CliFailure && error.exitCode === EXIT.notFound) return undefined;
    throw error;
  }
}

const POLL_MS = 500;
const ENDED = new Set(['Succeeded', 'Failed', 'Skipped']);

interface Wait {
  readonly job: string;
  readonly runId: number;
  readonly withinMs: number;
}

/** Waits for the end of this very run: until the operator has seen it the status speaks of the one before. */
async function untilEnded(client: Client, world: World, { job, runId, withinMs }: Wait): Promise<ApiJob> {
  const until = world.now() + withinMs;
  let last = '';
  for (;;) {
    const shown = await client.ask<ApiJob>('GET', `/jobs/${segment(job)}`);
    const { phase, message } = shown;
    if (shown.run_id !== runId)
      throw new CliFailure(`somebody else ran ${job} again meanwhile`, EXIT.conflict);
    if (ENDED.has(phase) && message !== 'waiting for the operator') return shown;
    if (world.now() > until)
      throw new CliFailure(`${job} has not ended (${phase}: ${message})`, EXIT.timedOut);
    if (message !== last) note(world, `${phase}: ${message}`);
    last = message;
    await world.sleep(POLL_MS);
  }
}
