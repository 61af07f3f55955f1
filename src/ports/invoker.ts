/** One call of a function from within the platform: by the dispatcher, a job, the console, the samples of local mode. */
export interface Invocation {
  readonly namespace: string;
  readonly function: string;
  readonly method: string;
  /** Raw path and query, beginning with `/`. */
  readonly path: string;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** Milliseconds until the whole answer must be there. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

/** What the function answered, once it has come to its end. Of bodies beyond the invoker's bound the beginning is kept, and they are marked. */
export interface InvocationResult {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: Uint8Array;
  readonly truncated: boolean;
}

/**
 * Calls functions by name. Whatever the function answers is a result, a 500 too; SlessErrors are what kept it from
 * answering: `UpstreamUnreachable` (nothing listens; no byte was sent), `UpstreamInvalid` (no valid HTTP, or broken off),
 * `FunctionTimeout`.
 */
export interface Invoker {
  invoke(invocation: Invocation): Promise<InvocationResult>;
}

/** One pod that takes calls. */
export interface PodAddress {
  /** The same id is the same pod. */
  readonly id: string;
  readonly address: string;
  readonly port: number;
}

/** Who tells an invoker where functions run. */
export interface FunctionPods {
  /** These pods take calls now. With none, or for a function that was never told of, calls are `UpstreamUnreachable`. */
  update(namespace: string, name: string, pods: readonly PodAddress[]): void;
  /** The function is called no more: lets go of its connections. */
  forget(namespace: string, name: string): void;
}
