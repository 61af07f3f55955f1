import { text } from 'node:stream/consumers';
import type { Command } from 'commander';
import { createClient } from '../client.ts';
import {
  type Context,
  checkedEndpoint,
  forgetContext,
  keepContext,
  namespaceOfToken,
  readContexts,
  targetOf,
  useContext,
} from '../contexts.ts';
import { CliFailure, EXIT } from '../failure.ts';
import { type Table, tableLines } from '../output.ts';
import { secretLine } from '../secret-line.ts';
import type { Runner } from '../session.ts';
import { note, print, type World } from '../world.ts';

interface LoginOptions {
  readonly token?: string;
  readonly name?: string;
  readonly namespace?: string;
}

/** `login` and `context`. */
export function registerLogin(program: Command, { world, run }: Runner): void {
  program
    .command('login <endpoint>')
    .description('keeps a platform and a token as a context, and makes it the current one')
    .option('--token <token>', 'the token; without it SLESS_API_TOKEN or standard input is read')
    .option('--name <name>', 'what the context is called; by default the host')
    .option('-n, --namespace <namespace>', "another namespace than the token's own")
    .action(run((endpoint: string, options: LoginOptions) => login(world, endpoint, options)));
  const context = program.command('context').description('the platforms that were logged into');
  context
    .command('list', { isDefault: true })
    .description('shows them; the current one has a star')
    .action(run(async () => listContexts(world)));
  context
    .command('current')
    .description('says which one is the current one')
    .action(
      run(async () => {
        const { current } = readContexts(world);
        if (current === undefined) throw new CliFailure('there is none: `sless login URL`', EXIT.notFound);
        print(world, current);
      }),
    );
  context
    .command('delete <name>')
    .description('forgets one, and its token')
    .action(
      run(async (name: string) => {
        forgetContext(world, name);
        print(world, `${name} is forgotten`);
      }),
    );
  context
    .command('use <name>')
    .description('makes another one the current one')
    .action(
      run(async (name: string) => {
        useContext(world, name);
        print(world, `now at ${name}`);
      }),
    );
}

async function login(world: World, given: string, options: LoginOptions): Promise<void> {
  const endpoint = checkedEndpoint(given);
  const token = (options.token ?? world.env.SLESS_API_TOKEN ?? (await readToken(world))).trim();
  const namespace = options.namespace ?? namespaceOfToken(token);
  await createClient(world, { endpoint, token, namespace }).ask('POST', '/ensure');
  const name = options.name ?? new URL(endpoint).host;
  keepContext(world, { name, endpoint, token, ...(options.namespace === undefined ? {} : { namespace }) });
  print(world, `logged in to ${endpoint}, namespace ${namespace} (context ${name})`);
}

function listContexts(world: World): void {
  const { contexts, current } = readContexts(world);
  if (contexts.length === 0) note(world, 'none yet: `sless login URL`');
  if (contexts.length === 0) return;
  const table: Table<Context> = {
    columns: {
      CURRENT: ({ name }) => (name === current ? '*' : ''),
      NAME: ({ name }) => name,
      ENDPOINT: ({ endpoint }) => endpoint,
      NAMESPACE: ({ name }) => targetOf(world, { context: name }).namespace,
    },
  };
  for (const line of tableLines(contexts, table)) print(world, line);
}

/** A token on the command line is in the shell's history; on standard input it is not. */
async function readToken(world: World): Promise<string> {
  const typed = world.stdin.isTTY
    ? secretLine(world, 'paste the token (it is not shown): ')
    : text(world.stdin);
  const token = (await typed).trim();
  if (token !== '') return token;
  throw new CliFailure('no token: give it on standard input, as --token or as SLESS_API_TOKEN', EXIT.usage);
}
