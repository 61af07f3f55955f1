import { basename, relative, resolve } from 'node:path';
import type { Command } from 'commander';
import { deploy } from '../deploy.ts';
import { CliFailure, EXIT } from '../failure.ts';
import { watchFolder } from '../folder-watch.ts';
import { initProject, nameFrom, PROJECT_FILE, type Project, readProject, templateNames } from '../project.ts';
import { aimed, clientFor, type Runner, seconds, type TargetOptions } from '../session.ts';
import { note, print, type World } from '../world.ts';

interface InitOptions {
  readonly name?: string;
  readonly runtime: string;
}

interface DeployOptions extends TargetOptions {
  readonly name?: string;
  readonly runtime?: string;
  readonly entrypoint?: string;
  readonly http: boolean;
  readonly timeout: string;
  readonly watch?: true;
}

/** `init` and `deploy`. */
export function registerProject(program: Command, { world, run }: Runner): void {
  program
    .command('init [folder]')
    .description(`makes a function from a template (${templateNames().join(', ')})`)
    .option('--name <name>', "the function's name; by default the folder's")
    .option('--runtime <runtime>', 'the template', 'python3.11')
    .action(
      run(async (folder: string | undefined, { name, runtime }: InitOptions) => {
        const path = initProject(world.cwd, { folder: folder ?? '.', name, runtime });
        const shown = relative(world.cwd, path);
        print(
          world,
          `made ${shown || 'this folder'}; next: ${shown === '' ? '' : `cd ${shown} && `}sless deploy`,
        );
      }),
    );
  const instead = `where there is no ${PROJECT_FILE}`;
  aimed(program.command('deploy [folder]'))
    .description(`uploads a folder and waits until it serves; ${PROJECT_FILE} in it says what it is`)
    .option('--name <name>', `${instead}; by default the folder's`)
    .option('--runtime <runtime>', instead)
    .option('--entrypoint <entrypoint>', instead)
    .option('--no-http', 'makes it reachable by nothing that is not there already')
    .option('--timeout <seconds>', 'how long to wait for it', '600')
    .option('--watch', 'deploys again at each change, until Ctrl-C')
    .action(
      run(async (folder: string | undefined, options: DeployOptions) => {
        const path = resolve(world.cwd, folder ?? '.');
        if (options.watch) await deployOnChange(world, path, options);
        else await deployOnce(world, path, options);
      }),
    );
}

async function deployOnce(world: World, folder: string, options: DeployOptions): Promise<void> {
  const project = projectOf(folder, options);
  const timeoutMs = 1000 * seconds(options.timeout, '--timeout');
  const { shown, url } = await deploy(clientFor(world, options), world, { folder, project, timeoutMs });
  print(world, url ?? `${shown.name} is ready; no http trigger leads to it`);
}

function projectOf(folder: string, { name, runtime, entrypoint, http }: DeployOptions): Project {
  const read = readProject(folder);
  const isGiven = name !== undefined || runtime !== undefined || entrypoint !== undefined;
  if (read !== undefined && isGiven)
    throw new CliFailure(
      `${PROJECT_FILE} says name, runtime and entrypoint already; change it there`,
      EXIT.usage,
    );
  if (read !== undefined) return { ...read, http: read.http && http };
  if (runtime === undefined)
    throw new CliFailure(
      `there is no ${PROJECT_FILE} in ${folder}: \`sless init\`, or say --runtime (${templateNames().join(', ')})`,
      EXIT.usage,
    );
  return {
    name: name ?? nameFrom(basename(folder)),
    runtime,
    http,
    ...(entrypoint === undefined ? {} : { entrypoint }),
  };
}

/** Deploys, and again after each change: also after one that comes while it deploys. */
async function deployOnChange(world: World, folder: string, options: DeployOptions): Promise<void> {
  projectOf(folder, options);
  const changes = watchFolder(world, folder);
  for (;;) {
    try {
      await deployOnce(world, folder, options);
    } catch (error) {
      // What is wrong with the code is put right by the next change; what is wrong with the token is not.
      if (!(error instanceof CliFailure) || error.exitCode === EXIT.unauthenticated) throw error;
      note(world, `sless: ${error.message}`);
    }
    note(world, 'watching; Ctrl-C ends it');
    await changes.next();
  }
}
