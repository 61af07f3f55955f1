import type { Command } from 'commander';
import type { ApiTrigger } from '../api-types.ts';
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
import { TRIGGERS } from '../tables.ts';
import { print } from '../world.ts';

/** `trigger …` and `events publish`. */
export function registerTriggers(program: Command, runner: Runner): void {
  const { world, run } = runner;
  const trigger = program.command('trigger').description('what calls a function: HTTP, a schedule, a queue');
  showing(trigger.command('list', { isDefault: true }).alias('ls'))
    .description('shows the triggers')
    .action(
      run(async (options: ShowOptions) => {
        const items = await clientFor(world, options).all<ApiTrigger>('/triggers');
        show(world, items, { format: options.output, table: TRIGGERS });
      }),
    );
  registerCreates(trigger.command('create').description('makes one'), runner);
  for (const [word, enabled] of [
    ['enable', true],
    ['disable', false],
  ] as const)
    aimed(trigger.command(`${word} <trigger>`))
      .description(`${word}s one`)
      .action(
        run(async (name: string, options: TargetOptions) => {
          await clientFor(world, options).ask('PATCH', `/triggers/${segment(name)}`, { json: { enabled } });
          print(world, `${name} is ${word}d`);
        }),
      );
  aimed(trigger.command('delete <trigger>'))
    .description('deletes one')
    .action(
      run(async (name: string, options: TargetOptions) => {
        await clientFor(world, options).ask('DELETE', `/triggers/${segment(name)}`);
        print(world, `${name} is deleted`);
      }),
    );
  registerPublish(program, runner);
}

interface CreateOptions extends ShowOptions {
  readonly name?: string;
  readonly schedule?: string;
  readonly timeZone?: string;
  readonly payload?: string;
  readonly queue?: string;
  readonly prefetch?: string;
  readonly maxAttempts?: string;
  readonly deadLetterQueue?: string;
}

function registerCreates(create: Command, { world, run }: Runner): void {
  const creates = (type: 'http' | 'cron' | 'event', description: string): Command =>
    showing(create.command(`${type} <function>`))
      .description(description)
      .option('--name <name>', `by default {function}-${type}`)
      .action(
        run(async (name: string, options: CreateOptions) => {
          const json = {
            name: options.name ?? `${name}-${type}`,
            type,
            function: name,
            ...fieldsOf(options),
          };
          const made = await clientFor(world, options).ask<ApiTrigger>('POST', '/triggers', { json });
          show(world, made, { format: options.output, table: TRIGGERS });
        }),
      );
  creates('http', 'by a URL');
  creates('cron', 'by a schedule')
    .requiredOption('--schedule <schedule>', 'five fields, such as "*/5 * * * *"')
    .option('--time-zone <zone>', 'such as Europe/Berlin; by default UTC')
    .option('--payload <json>', 'the event, as JSON');
  creates('event', 'by the messages of a queue')
    .requiredOption('--queue <queue>', 'the queue, which must exist')
    .option('--prefetch <number>', 'messages at once')
    .option('--max-attempts <number>', 'tries before a message is dead')
    .option('--dead-letter-queue <queue>', 'where dead ones go');
}

/** What was not said is the api's to decide. */
function fieldsOf(options: CreateOptions): Record<string, unknown> {
  const number = (text: string | undefined): number | undefined =>
    text === undefined ? undefined : Number(text);
  const fields = {
    schedule: options.schedule,
    time_zone: options.timeZone,
    payload: options.payload,
    queue: options.queue,
    prefetch: number(options.prefetch),
    max_attempts: number(options.maxAttempts),
    dead_letter_queue: options.deadLetterQueue,
  };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

function registerPublish(program: Command, { world, run }: Runner): void {
  const events = program.command('events').description('messages for functions');
  aimed(events.command('publish <queue> <message>'))
    .description('puts a message into a queue of a local platform')
    .action(
      run(async (queue: string, message: string, options: TargetOptions) => {
        const body = () => ({
          type: 'application/octet-stream',
          stream: ReadableStream.from([Buffer.from(message)]),
        });
        await clientFor(world, options).open('POST', `/events/${segment(queue)}`, { body });
        print(world, `published to ${queue}`);
      }),
    );
}
