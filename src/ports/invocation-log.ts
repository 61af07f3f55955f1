/** What called a function. */
export const INVOCATION_TRIGGERS = ['http', 'cron', 'event', 'job'] as const;
export type InvocationTrigger = (typeof INVOCATION_TRIGGERS)[number];

/** How a call ended: the function answered below 400; it answered 400 or more; or there was no answer of its own. */
export const INVOCATION_OUTCOMES = ['ok', 'error', 'failed'] as const;
export type InvocationOutcome = (typeof INVOCATION_OUTCOMES)[number];

/** One call of a function, whoever made it. Nothing of its content: neither paths nor bodies nor headers. */
export interface Invocation {
  /** A UUID. Records of one id are one record, however often they are appended. */
  readonly id: string;
  readonly namespace: string;
  readonly function: string;
  readonly trigger: InvocationTrigger;
  /** The Trigger's or FunctionJob's name, where one made the call. */
  readonly triggerName?: string;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly durationMs: number;
  readonly outcome: InvocationOutcome;
  /** HTTP status of the answer; absent where there was none. */
  readonly status?: number;
  /** A code of the table of errors, when the call failed. */
  readonly reason?: string;
  /** Bytes of the bodies. */
  readonly bytesIn: number;
  readonly bytesOut: number;
  /** 1 for the first try. */
  readonly attempt: number;
  readonly requestId?: string;
  /** Of the W3C trace context: 32 hex digits. */
  readonly traceId?: string;
}

/** Which calls, newest first. */
export interface InvocationQuery {
  readonly namespace: string;
  readonly function: string;
  readonly trigger?: InvocationTrigger;
  readonly triggerName?: string;
  readonly outcome?: InvocationOutcome;
  readonly status?: number;
  readonly requestId?: string;
  /** Milliseconds since 1970: started at or after, and before. */
  readonly since?: number;
  readonly until?: number;
}

export interface InvocationPage {
  readonly items: readonly Invocation[];
  /** The cursor of the page after it; absent on the last. */
  readonly next?: string;
}

/**
 * The calls that were made, for some days. Errors are SlessErrors: `Unavailable` while it cannot be reached,
 * `InvalidRequest` for a cursor that is none.
 */
export interface InvocationLog {
  /** Keeps the records, all or none. An id that is there already stays as it is. */
  append(records: readonly Invocation[]): Promise<void>;
  get(
    which: Pick<InvocationQuery, 'namespace' | 'function'> & { readonly id: string },
  ): Promise<Invocation | undefined>;
  /** A page by its key (when it started, then its id): new records change no page that follows. */
  list(
    query: InvocationQuery,
    page: { readonly limit: number; readonly cursor?: string },
  ): Promise<InvocationPage>;
  /** Forgets what started before that moment, maybe up to a day later than it could. */
  forget(before: number): Promise<void>;
  close(): Promise<void>;
}
