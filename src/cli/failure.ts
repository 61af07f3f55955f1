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
