import { finished } from 'node:stream/promises';
import type { Clock } from '../../ports/clock.ts';
import { type Command, type Guarded, spawnGuarded } from '../process/guarded.ts';
import type { LogFile } from '../process/log-file.ts';
import type { ProcessRecords } from '../process/records.ts';
import { type Terminated, terminated } from './pod-status.ts';

/** One process of a container, from its start to its end. */
export interface ContainerRun {
  readonly startedAt: number;
  /** When it has ended and its output is complete. */
  readonly ended: Promise<Terminated>;
  kill(signal: NodeJS.Signals): void;
}

interface RunDeps {
  readonly records: ProcessRecords;
  readonly clock: Clock;
}

/** Whatever holds the output open after the process ended is not waited for longer than this. */
const OUTPUT_GRACE_MS = 500;

/** Starts the command with its output going to `log`. */
export function runContainer({ records, clock }: RunDeps, command: Command, log: LogFile): ContainerRun {
  const startedAt = clock.now();
  log.beginRun();
  const child = spawnGuarded(command);
  const recorded = records.add(child.pid).catch(() => {});
  const output = Promise.all([pour(child, 'stdout', log), pour(child, 'stderr', log)]);
  const end = async (): Promise<Terminated> => {
    const exit = await child.exited;
    const finishedAt = clock.now();
    await Promise.race([output, new Promise((resolve) => setTimeout(resolve, OUTPUT_GRACE_MS).unref())]);
    log.endRun();
    await Promise.all([log.settled(), recorded.then(() => records.remove(child.pid))]);
    return terminated({ exit, startedAt, finishedAt, output: log.tail() });
  };
  return { startedAt, ended: end(), kill: child.kill };
}

async function pour(child: Guarded, stream: 'stdout' | 'stderr', log: LogFile): Promise<void> {
  child[stream].pipe(log, { end: false });
  await finished(child[stream]).catch(() => {}); // torn away with the process: what came before is kept
}
