import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from '../../ports/logger.ts';
import type { RuntimeCatalogue } from '../../runtimes/catalogue.ts';
import { readIfThere, replaceFile } from '../file.ts';
import { callSample, deploySample, hasSample, type User } from './client.ts';
import { SAMPLES, type Sample } from './sample.ts';

export interface SamplesDeps {
  readonly user: User;
  readonly runtimes: RuntimeCatalogue;
  /** One line for whoever started sless. */
  readonly print: (line: string) => void;
  readonly logger: Logger;
}

interface SamplesOptions {
  /** Holds one folder a sample. */
  readonly examples: string;
  /** Remembers which were deployed once, so that one that its user deleted does not come back. */
  readonly memory: string;
}

/** Deploys the samples on the first start, and calls each that is there. A sample that fails is told and hurts nobody. */
export async function runSamples(deps: SamplesDeps, options: SamplesOptions): Promise<void> {
  await mkdir(options.memory, { recursive: true });
  const possible = SAMPLES.filter(({ runtime }) => deps.runtimes.has(runtime));
  await Promise.all(possible.map((sample) => runSample(deps, options, sample)));
}

async function runSample(deps: SamplesDeps, options: SamplesOptions, sample: Sample): Promise<void> {
  const { user, print, logger } = deps;
  try {
    const mark = join(options.memory, sample.name);
    if ((await readIfThere(mark)) === undefined) {
      await deploySample(user, sample, join(options.examples, sample.name));
      await replaceFile(mark, '');
    } else if (!(await hasSample(user, sample))) return;
    const { url, status, milliseconds } = await callSample(user, sample);
    print(`sample ${sample.name} ${url} ${status} ${milliseconds}`);
  } catch (error) {
    if (user.signal.aborted) return;
    logger.error({ err: error, sample: sample.name }, 'a sample could not be called');
    print(`sample ${sample.name} failed: ${error instanceof Error ? error.message : error}`);
  }
}
