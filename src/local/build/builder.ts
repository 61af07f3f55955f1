import { createHash } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isSlessError, SlessError } from '../../errors.ts';
import { exitCodeOf } from '../../fetch/refusal.ts';
import type { Clock } from '../../ports/clock.ts';
import type { ObjectStore } from '../../ports/object-store.ts';
import type { RuntimeCatalogue } from '../../runtimes/catalogue.ts';
import { extractContext } from '../../source/extract.ts';
import type { Environment } from '../environment.ts';
import { runtimeOf } from '../pod/command.ts';
import { runContainer } from '../pod/container-run.ts';
import { type Terminated, terminated } from '../pod/pod-status.ts';
import type { LogFile } from '../process/log-file.ts';
import type { ProcessRecords } from '../process/records.ts';
import type { Images, UnfinishedImage } from './images.ts';
import { installCommand } from './install.ts';

/** What a build needs of the machine. */
export interface BuildDeps {
  readonly store: ObjectStore;
  readonly images: Images;
  readonly runtimes: RuntimeCatalogue;
  readonly records: ProcessRecords;
  readonly clock: Clock;
  /** The environment of sless itself, of which installers get what reaches a registry. */
  readonly machine: Environment;
}

/** What a build Job asks for in its annotations. */
export interface BuildRequest {
  /** The image's name, by tag. */
  readonly image: string;
  /** The key of the context. */
  readonly key: string;
  readonly runtimeImage: string;
  readonly strategy: string;
  readonly rebuild: string | undefined;
}

/** One step of a build, named as its container; ends as that container would. */
export interface BuildStep {
  readonly name: string;
  run(signal: AbortSignal, log: LogFile): Promise<Terminated>;
}

/** A build of local mode: the steps of the Job's pod, done by this process itself. */
export interface LocalBuild {
  readonly steps: readonly BuildStep[];
  /** Throws away what is unfinished. */
  discard(): Promise<void>;
}

/** What is no error of ours. */
const FAILED = 1;

/** Prepares a build; nothing happens before its first step runs. */
export function createBuild(deps: BuildDeps, request: BuildRequest): LocalBuild {
  let unfinished: UnfinishedImage | undefined;
  let digest = '';
  const fetch = async (signal: AbortSignal): Promise<string> => {
    unfinished = await deps.images.begin();
    const { body } = await deps.store.get(request.key);
    const abort = (): void => void body.destroy(new Error('the build was ended'));
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort);
    const { codeHash } = await extractContext(body, dirname(unfinished.functionFolder)).finally(() =>
      signal.removeEventListener('abort', abort),
    );
    digest = imageDigest(request, codeHash);
    return '';
  };
  const build = async (signal: AbortSignal, log: LogFile): Promise<Terminated | string> => {
    const runtime = runtimeOf(deps.runtimes, request.runtimeImage);
    if (runtime === undefined) throw new Error(`no runtime here has the image ${request.runtimeImage}`);
    if (unfinished === undefined || (await deps.images.has(digest))) return '';
    const folder = unfinished.functionFolder;
    const home = join(dirname(folder), 'home');
    const command = installCommand(runtime, { folder, home }, deps.machine);
    if (command === undefined) return '';
    await mkdir(home);
    // An end that came before now is told to nobody any more, and nobody else would end what begins here.
    signal.throwIfAborted();
    const run = runContainer(deps, command, log);
    const abort = (): void => run.kill('SIGKILL');
    signal.addEventListener('abort', abort);
    return run.ended.finally(async () => {
      signal.removeEventListener('abort', abort);
      await rm(home, { recursive: true, force: true }); // it is no part of the image
    });
  };
  const push = async (): Promise<string> => {
    const { runtimeImage, key, image } = request;
    await unfinished?.commit({ digest, runtimeImage, key });
    await deps.images.tag(image, digest);
    return `${image.replace(/:[^:/]*$/, '')}@${digest}\n`;
  };
  const steps = request.strategy === 'append' ? { fetch, push } : { fetch, build, push };
  return {
    steps: Object.entries(steps).map(([name, work]) => ({
      name,
      run: (signal, log) =>
        runStep({ clock: deps.clock, log }, async () => {
          signal.throwIfAborted();
          return work(signal, log);
        }),
    })),
    discard: async () => unfinished?.discard(),
  };
}

/** The same code for the same purpose is the same image, however often it is built. */
function imageDigest(request: BuildRequest, codeHash: string): string {
  const { image, runtimeImage, strategy, rebuild } = request;
  const repository = image.replace(/:[^:/]*$/, '');
  const parts = JSON.stringify([repository, runtimeImage, strategy, rebuild ?? '', codeHash]);
  return `sha256:${createHash('sha256').update(parts).digest('hex')}`;
}

interface StepDeps {
  readonly clock: Clock;
  readonly log: LogFile;
}

/** Work of this process as if a container had done it: a text is its last word, an error its failure. */
async function runStep(
  { clock, log }: StepDeps,
  work: () => Promise<Terminated | string>,
): Promise<Terminated> {
  const startedAt = clock.now();
  const end = async (code: number, output: string): Promise<Terminated> => {
    log.beginRun();
    if (output !== '') log.write(`${output.trimEnd()}\n`);
    log.endRun();
    await log.settled();
    return terminated({ exit: { code, signal: null }, startedAt, finishedAt: clock.now(), output });
  };
  try {
    const result = await work();
    if (typeof result !== 'string') return result;
    const ended = await end(0, result);
    return result === '' ? ended : { ...ended, message: result };
  } catch (error) {
    const said = isSlessError(error) ? fetchError(error) : error;
    if (isSlessError(said)) {
      // The reporter reads it as the last line of `sless fetch`.
      return end(exitCodeOf(said), `sless fetch: ${said.code}: ${said.message}`);
    }
    return end(FAILED, error instanceof Error ? error.message : String(error));
  }
}

/** In the words of the api's route for build pods, which is not in between here. */
function fetchError(error: SlessError): SlessError {
  if (error.code !== 'NotFound') return error;
  return new SlessError('NoSuchVersion', `the code is not in the object store (${error.message})`, {
    cause: error,
  });
}
