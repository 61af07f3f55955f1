import { Command } from 'commander';
import { ConfigError, loadConfig } from '../config/config.ts';

/** EX_CONFIG of sysexits.h. */
const BAD_CONFIGURATION = 78;

// Each role is loaded when it is asked for: a build's `fetch` must not wait for what the api needs.
const program = new Command('sless').description('Zip in, URL out, on Kubernetes.').showHelpAfterError();

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
  .command('fetch')
  .description('brings the build context into the pod of a build')
  .action(async () => {
    const config = loadConfig(process.env, 'fetch');
    await (await import('./fetch.ts')).runFetch(config);
  });

program
  .command('push')
  .description('puts the image of a build into the registry')
  .action(async () => {
    const config = loadConfig(process.env, 'push');
    await (await import('./push.ts')).runPush(config);
  });

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
