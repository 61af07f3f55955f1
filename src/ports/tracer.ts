/** What a span begins with. */
export interface SpanStart {
  /** From a small fixed set. */
  readonly name: string;
  /** `server` for a request that came, `consumer` for a message. */
  readonly kind: 'server' | 'consumer';
  /** The `traceparent` that it continues; without it a trace begins. */
  readonly parent: string | undefined;
  readonly attributes: Readonly<Record<string, string>>;
}

/** How what it stands for ended. */
export interface SpanEnd {
  /** HTTP status, where there was one. */
  readonly status?: number;
  /** A code of the table of errors, when it failed. */
  readonly reason?: string;
}

/** One call on its way. */
export interface CallSpan {
  /** For whoever is called next. */
  readonly traceparent: string;
  end(end: SpanEnd): void;
}

/** Tells a collector of traces what was done, without anyone waiting for it. */
export interface Tracer {
  begin(start: SpanStart): CallSpan;
  /** Sends what waits, within a few seconds. */
  close(): Promise<void>;
}
