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

/** Options of a log that is read while it is written. */
export interface LogFollow {
  /** How many of the lines that are there already. */
  readonly lines: number;
  /** Ends the reading, without an error. */
  readonly signal: AbortSignal;
}

/**
 * What containers write to their standard streams. A container that has not started has written nothing. Errors are
 * SlessErrors: `NotFound` (no such pod or container, or no run before), `Forbidden`, `Unavailable`.
 */
export interface PodLogs {
  /** The end of the log; bytes that are no UTF-8 are replaced. */
  tail(container: ContainerRef, tail: LogTail): Promise<string>;
  /** Line by line without the line feeds, until the container ends. An endless line comes in pieces of 64 KiB. */
  follow(container: ContainerRef, follow: LogFollow): AsyncIterable<string>;
}
