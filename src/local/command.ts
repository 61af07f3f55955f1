import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Command, Option } from 'commander';
import { pino } from 'pino';
import { loadConfig } from '../config/config.ts';
import { createLogger } from '../telemetry/logger.ts';
import { CommandFailed, localCommands, OUTPUTS, tokenFor } from './admin/client.ts';
import { CannotStart } from './cannot-start.ts';
import type { Environment } from './environment.ts';
import { type LocalFolder, localFolder } from './folder.ts';
import { folderFault } from './folder-fault.ts';
import { stopOnSignal } from './stop-on-signal.ts';

/** The folder of the installed sless. */
const HOME = resolve(import.meta.dirname, '../..');
const HOST = '127.0.0.1';
/** Calls under way when all ends; more than this and Ctrl-C would seem to do nothing. */
const DRAIN_MS = 10_000;

const print = (line: string): void => void process.stdout.write(`${line}\n`);

/** `sless local` and the commands below it. */
export function localCommand(environment: Environment): Command {
  const folder = (): LocalFolder => localFolder(loadConfig(environment, 'local').dir);
  const local = new Command('local')
    .description('runs the whole platform on this machine; with a command, talks to the one that runs')
    .configureHelp({ commandUsage: (command) => `${typed(command, environment)} ${command.usage()}` })
    .action(() => run(environment));
  local
    .command('token <subject>')
    .description("prints another tenant's token")
    .action((subject: string) => told(folder(), async (at) => print(await tokenFor(at, Date, subject))));
  const onFile = (name: 'apply' | 'delete', description: string): void => {
    local
      .command(name)
      .description(description)
      .usage('-f <file> [options]')
      .requiredOption('-f, --filename <file>', 'YAML or JSON; - for standard input')
      .option('-n, --namespace <namespace>', 'for objects that name none; by default your own')
      .action((options: { filename: string; namespace?: string }) =>
        told(folder(), async (at) => {
          const commands = await localCommands(Date, { folder: at, namespace: options.namespace });
          await commands[name === 'apply' ? 'apply' : 'remove'](options.filename, print);
        }),
      );
  };
  onFile('apply', 'creates or changes what a file declares');
  onFile('delete', 'deletes what a file declares');
  local
    .command('get <kind> [name]')
    .description('shows one object, or all of a kind')
    .addOption(new Option('-o, --output <format>', 'how to show it').choices(OUTPUTS).default('table'))
    .option('-n, --namespace <namespace>', 'by default your own')
    .action(
      (
        kind: string,
        name: string | undefined,
        options: { output: (typeof OUTPUTS)[number]; namespace?: string },
      ) =>
        told(folder(), async (at) => {
          const commands = await localCommands(Date, { folder: at, namespace: options.namespace });
          process.stdout.write(await commands.get({ kind, name, output: options.output }));
        }),
    );
  return local;
}

/** What one types to get at a command: npm passes on what stands behind `--`. */
function typed(command: Command, environment: Environment): string {
  const local = environment.npm_lifecycle_event === 'start' ? 'npm start --' : 'sless local';
  return command.name() === 'local' ? local : `${local} ${command.name()}`;
}

/** Failures that are told in a line each; all others are bugs and show where they come from. */
async function told(folder: LocalFolder, work: (folder: LocalFolder) => Promise<void>): Promise<void> {
  try {
    await work(folder);
  } catch (error) {
    const isTold = error instanceof CommandFailed || error instanceof CannotStart;
    const line = isTold ? error.message : folderFault(error, folder.root);
    if (line === undefined) throw error;
    process.stderr.write(`sless: ${line.replaceAll('\n', '\nsless: ')}\n`);
    process.exitCode = 1;
  }
}

async function run(environment: Environment): Promise<void> {
  const config = loadConfig(environment, 'local');
  const destination = pino.destination({ dest: 2, sync: true });
  const logger = createLogger({ level: config.logLevel, destination });
  const { version } = JSON.parse(readFileSync(join(HOME, 'package.json'), 'utf8')) as { version: string };
  await told(localFolder(config.dir), async (folder) => {
    // The commands of one line shall not wait for what only the platform needs.
    const { startLocal } = await import('./start.ts');
    const starting = startLocal(
      { clock: Date, logger, print },
      {
        ...config,
        folder,
        home: HOME,
        environment,
        host: HOST,
        trustedProxies: config.trustedProxies ?? [],
        version,
        drainMs: DRAIN_MS,
      },
    );
    stopOnSignal(starting);
    await starting;
  });
}
