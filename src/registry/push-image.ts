import { openBuiltFile } from './built-file.ts';
import { type Crane, INPUT } from './crane.ts';
import { craneFailure, mayPass } from './refusal.ts';
import { checkUnpackedSize } from './unpacked-size.ts';

export interface PushOptions {
  /** Where the image goes, by tag. */
  readonly image: string;
  /** A layer, or a whole image as a tar file. */
  readonly file: string;
  /** The image that a layer goes upon; without it the file is a whole image. */
  readonly base?: string;
  /** The registry speaks plain HTTP, or has a certificate that nobody signed. */
  readonly insecure: boolean;
}

export interface RegistryDeps {
  readonly crane: Crane;
  /** Waits for so many milliseconds. */
  readonly sleep: (milliseconds: number) => Promise<void>;
  /** From 0 to 1. */
  readonly random: () => number;
  /** Hears of tries that failed. */
  readonly note: (line: string) => void;
}

/** Four times what a build may keep on disk by default, where it has image and unpacked files beside each other. */
const MOST_UNPACKED = 16 * 1024 ** 3;

/**
 * Puts a build's image into the registry.
 *
 * @returns the image by digest
 * @throws SlessError the last failure; `exitCodeOf` says what it means for the build
 */
export async function pushImage(deps: RegistryDeps, options: PushOptions): Promise<string> {
  const file = await openBuiltFile(options.file);
  try {
    const [checked, pushed] = await Promise.allSettled([
      // A layer by itself is of our own making, from code whose size was looked at.
      options.base === undefined ? checkUnpackedSize(file, MOST_UNPACKED) : undefined,
      // Beside that, since either takes seconds: until its digest is told nothing runs an image, and in time it is garbage.
      persistently(deps, pushArgs(options), file.fd),
    ]);
    if (checked.status === 'rejected') throw checked.reason;
    if (pushed.status === 'rejected') throw pushed.reason;
    return pushed.value.trim().split('\n').at(-1) ?? '';
  } finally {
    await file.close();
  }
}

function pushArgs({ image, base, insecure }: PushOptions): string[] {
  const flags = insecure ? ['--insecure'] : [];
  return base === undefined
    ? ['push', INPUT, image, ...flags]
    : ['append', `--base=${base}`, `--new_layer=${INPUT}`, `--new_tag=${image}`, ...flags];
}

/**
 * Crane tries a request again for some seconds by itself. With these pauses a step outlives a restart of the registry, and the build before it
 * need not be done again by another pod.
 */
const MAX_TRIES = 4;
const FIRST_PAUSE_MS = 1000;

/**
 * Standard output of crane, which is run again as long as that may help.
 *
 * @throws SlessError
 */
export async function persistently(
  { crane, sleep, random, note }: RegistryDeps,
  args: readonly string[],
  input?: number,
): Promise<string> {
  for (let tries = 1; ; tries++) {
    const { exitCode, stdout, lastLines } = await crane(args, input);
    if (exitCode === 0) return stdout;
    const error = craneFailure(lastLines);
    if (tries === MAX_TRIES || !mayPass(error)) throw error;
    // Jittered, so that builds that failed together do not come back together.
    const pause = FIRST_PAUSE_MS * 2 ** (tries - 1) * (0.5 + random() / 2);
    note(`try ${tries} of ${MAX_TRIES} failed, again in ${Math.round(pause)} ms: ${error.message}`);
    await sleep(pause);
  }
}
