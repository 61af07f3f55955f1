import { Command } from 'commander';
import { registerCalls } from './commands/calls.ts';
import { registerCompletion } from './commands/completion.ts';
import { registerFunctions } from './commands/functions.ts';
import { registerJobs } from './commands/jobs.ts';
import { registerLogin } from './commands/login.ts';
import { registerProject } from './commands/project.ts';
import { registerTriggers } from './commands/triggers.ts';
import { asFailure } from './failure.ts';
import type { Runner } from './session.ts';
import { note, type World } from './world.ts';

/** Adds the users' commands to a program. `exit` is told the code of a command that failed. */
export function registerUserCommands(program: Command, world: World, exit: (code: number) => void): void {
  const runner: Runner = {
    world,
    run:
      (work) =>
      async (...args) => {
        try {
          await work(...args);
        } catch (error) {
          const failure = asFailure(error);
          if (failure === undefined) throw error;
          note(world, `sless: ${failure.message}`);
          exit(failure.exitCode);
        }
      },
  };
  registerLogin(program, runner);
  registerProject(program, runner);
  registerFunctions(program, runner);
  registerCalls(program, runner);
  registerTriggers(program, runner);
  registerJobs(program, runner);
  registerCompletion(program, runner);
}

/** A program of the users' commands alone, for tests and completions. */
export function userProgram(world: World, exit: (code: number) => void): Command {
  const program = new Command('sless');
  registerUserCommands(program, world, exit);
  return program;
}
