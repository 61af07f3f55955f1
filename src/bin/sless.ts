import { homedir } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { Command } from 'commander';
import { ConfigError, loadConfig } from '../config/config.ts';
import { atOnce } from './at-once.ts';
import type { RebuildCommand } from './rebuild.ts';

/** As shells and most tools have it. */
const BAD_USAGE = 2;
/** EX_CONFIG of sysexits.h. */
const BAD_CONFIGURATION = 78;

// Each role is loaded when it is asked for: a build's `fetch` must not wait for what the api needs.
const program = new Command('sless')
  .description('Zip in, URL out, on Kubernetes.')
  .showHelpAfterError()
  // Commands inherit it: a command that cannot be understood is told from one that failed.
  .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : BAD_USAGE));

program.commandsGroup('Roles of the platform, and its upkeep:');

program
  .command('operator')
  .description('serves the webhooks that Metacontroller calls')
  .action(async () => {
    const config = loadConfig(process.env, 'operator');
    await (await import('./operator.ts')).runOperator(config);
  });

program
  .command('api')
  .description('serves REST and uploads, and reports on pods')
  .option('--with-proxy', 'serves the functions too, on the same port: for small installations')
  .action(async (options: { withProxy?: true }) => {
    const config = loadConfig(process.env, 'api');
    const proxyConfig = options.withProxy ? loadConfig(process.env, 'proxy') : undefined;
    await (await import('./api.ts')).runApi(config, proxyConfig);
  });

program
  .command('proxy')
  .description('serves the functions')
  .action(async () => {
    const config = loadConfig(process.env, 'proxy');
    await (await import('./proxy.ts')).runProxy(config);
  });

program
  .command('dispatcher')
  .description('carries messages from queues to functions')
  .action(async () => {
    const config = loadConfig(process.env, 'dispatcher');
    await (await import('./dispatcher.ts')).runDispatcher(config);
  });

program
  .command('fetch')
  .description('brings the build context into the pod of a build')
  .action(async () => {
    const config = loadConfig(process.env, 'fetch');
    await (await import('./fetch.ts')).runFetch(config);
  });

program
  .command('base')
  .description('brings the base image of a build into its pod')
  .action(async () => {
    const config = loadConfig(process.env, 'base');
    await (await import('./registry.ts')).runBase(config);
  });

program
  .command('push')
  .description('puts the image of a build into the registry')
  .action(async () => {
    const config = loadConfig(process.env, 'push');
    await (await import('./registry.ts')).runPush(config);
  });

program
  .command('gc')
  .description('throws away uploads and images that nothing uses, and FunctionJobs past their time')
  .option('--dry-run', 'says what would go, and changes nothing but its own marks of what is unused')
  .action(async (options: { dryRun?: true }) => {
    const config = loadConfig(process.env, 'gc');
    await (await import('./gc.ts')).runGc(config, { dryRun: options.dryRun ?? false });
  });

program
  .command('rebuild')
  .description('builds every function anew, some at a time: for a registry that was lost')
  .requiredOption('--all', 'every function that has code')
  .option('-n, --namespace <namespace>', 'only those of one namespace')
  .option('--at-once <number>', 'builds at a time', atOnce, 2)
  .option('--id <id>', 'carries on with the run of that id', `all-${new Date().toISOString()}`)
  .option('--dry-run', 'says which, and changes nothing')
  .action(async (options: RebuildCommand) => {
    const config = loadConfig(process.env, 'rebuild');
    await (await import('./rebuild.ts')).runRebuild(config, options);
  });

program
  .command('certificate')
  .description('makes or renews the certificate of the webhooks, and has Metacontroller trust it')
  .option('--before-install', 'makes the first one, and looks at nothing else')
  .action(async (options: { beforeInstall?: true }) => {
    const config = loadConfig(process.env, 'certificate');
    const installed = options.beforeInstall === undefined;
    await (await import('./certificate.ts')).runCertificate(config, { installed });
  });

program
  .command('preflight')
  .description('says in words what an installation lacks')
  .option('--before-install', 'looks at what sless stands on alone, not at its own parts')
  .action(async (options: { beforeInstall?: true }) => {
    const config = loadConfig(process.env, 'preflight');
    const installed = options.beforeInstall === undefined;
    await (await import('./preflight.ts')).runPreflight(config, { installed });
  });

// The commands of users: nothing of theirs is loaded for a role.
if (!program.commands.some((role) => role.name() === process.argv[2])) {
  program.commandsGroup('Commands:');
  const { registerUserCommands } = await import('../cli/program.ts');
  const { stdin, stdout, stderr, env } = process;
  // `sless list | head -1`: whoever reads has had enough.
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    process.exit();
  });
  const now = (): number => performance.now();
  registerUserCommands(
    program,
    { env, cwd: process.cwd(), home: homedir(), stdin, stdout, stderr, fetch, sleep, now },
    (code) => {
      process.exitCode = code;
    },
  );
}

if (process.argv[2] === 'local') {
  const { localCommand } = await import('../local/command.ts');
  program.addCommand(localCommand(process.env));
} else {
  program.command('local').description('runs the whole platform on this machine');
}

try {
  await program.parseAsync();
} catch (error) {
  if (!(error instanceof ConfigError)) throw error;
  process.stderr.write(`sless: ${error.message}\n`);
  process.exitCode = BAD_CONFIGURATION;
}
