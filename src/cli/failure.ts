/** What a script can tell of how a command ended. */
export const EXIT = Object.freeze({
  /** The platform refused, or what was asked for failed: a build, a call, a job. */
  failed: 1,
  /** The command was given in a way that cannot be understood. */
  usage: 2,
  /** No token, or one that is not valid here. */
  unauthenticated: 4,
  notFound: 5,
  conflict: 6,
  /** The platform is away or busy: another try may succeed. */
  unavailable: 7,
  /** It was waited for as long as was said. */
  timedOut: 8,
});

/** An end that is told in one sentence, with what to do, and no trace. */
export class CliFailure extends Error {
  override readonly name = 'CliFailure';
  readonly exitCode: number;

  constructor(message: string, exitCode: number = EXIT.failed, options: ErrorOptions = {}) {
    super(message, options);
    this.exitCode = exitCode;
  }
}

/**
 * What a command failed with, in one sentence; `undefined` for what nobody expects, which is a bug and shows its trace. Files that
 * cannot be read or written and connections that break are the world's, wherever a command meets them.
 */
export function asFailure(error: unknown): CliFailure | undefined {
  if (error instanceof CliFailure) return error;
  if (!(error instanceof Error)) return undefined;
  const { syscall, path, code } = error as NodeJS.ErrnoException;
  if (syscall !== undefined && path !== undefined)
    return new CliFailure(`${path} cannot be used: ${code}`, EXIT.failed, { cause: error });
  // What fetch throws while an answer is read.
  const isCut = error instanceof TypeError && /terminated|fetch failed/.test(error.message);
  if (!isCut) return undefined;
  const words = 'the connection broke before the answer was through; try again';
  return new CliFailure(words, EXIT.unavailable, { cause: error });
}
