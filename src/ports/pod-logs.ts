/** One container of one pod. */
export interface ContainerRef {
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
}

/** How much of a log is wanted, counted from its end. */
export interface LogTail {
  readonly lines: number;
  /** At most so many bytes, whole characters. */
  readonly bytes: number;
  /** Of the run before the last restart. */
  readonly previous?: boolean;
}

/** One line that a container has written. */
export interface LogLine {
  /**
   * When, in RFC 3339, UTC, always with nine digits of a second: texts that compare as the times do. It tells a container's
   * lines apart, but for the pieces of one line.
   */
  readonly time: string;
  /** Without its line feed; bytes that are no UTF-8 are replaced. A line beyond 64 KiB comes in pieces of one time. */
  readonly text: string;
}

/** Which lines. */
export interface LogReading {
  /** The last so many of those that are there already; all of them, where it is absent. */
  readonly lines?: number;
  /** Only what was written after this `LogLine.time`. */
  readonly after?: string;
  /** Of the run before the last restart. */
  readonly previous?: boolean;
  /** Goes on with what is written from now on, until the container ends. */
  readonly follow?: boolean;
  /** Ends the reading, without an error. */
  readonly signal: AbortSignal;
}

/**
 * What containers write to their standard streams, of their last run. A container that has not started has written nothing.
 * Errors are SlessErrors: `NotFound` (no such pod or container, or no run before), `Forbidden`, `Unavailable`.
 */
export interface PodLogs {
  /** The end of the log; bytes that are no UTF-8 are replaced. */
  tail(container: ContainerRef, tail: LogTail): Promise<string>;
  /** Line by line, no faster than they are taken. */
  read(container: ContainerRef, reading: LogReading): AsyncIterable<LogLine>;
}
