import { Command } from 'commander';
import { ConfigError, loadConfig } from '../config/config.ts';
import { localCommand } from '../local/command.ts';
import { runOperator } from './operator.ts';

/** EX_UNAVAILABLE and EX_CONFIG of sysexits.h. */
const UNAVAILABLE = 69;
const BAD_CONFIGURATION = 78;

const program = new Command('sless').description('Zip in, URL out, on Kubernetes.').showHelpAfterError();

program
  .command('operator')
  .description('serves the webhooks that Metacontroller calls')
  .action(() => runOperator(loadConfig(process.env, 'operator')));

for (const role of ['api', 'proxy']) {
  program
    .command(role)
    .description(`serves the ${role} of a cluster (not in this version)`)
    .action(() => {
      process.stderr.write(
        `sless: the ${role} of a cluster comes with a later version; "sless local" runs it here\n`,
      );
      process.exitCode = UNAVAILABLE;
    });
}

program.addCommand(localCommand(process.env));

try {
  await program.parseAsync();
} catch (error) {
  if (!(error instanceof ConfigError)) throw error;
  process.stderr.write(`sless: ${error.message}\n`);
  process.exitCode = BAD_CONFIGURATION;
}
