/** A call as the page for trying a function sends it. */
export interface FunctionCall {
  readonly namespace: string;
  readonly name: string;
  /** What the function is reached at: its host decides who takes the call. */
  readonly url: string;
  readonly method: string;
  /** With what follows the function's name: path and query, beginning with `/`, or empty. */
  readonly target: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: string;
}

export interface FunctionAnswer {
  readonly status: number;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: Buffer;
  /** Whether there was more of the body than is shown. */
  readonly cut: boolean;
}

/** Calls a function by the proxy, as anybody would. @throws SlessError `Unavailable` when the proxy is away */
export type FunctionCaller = (call: FunctionCall, signal: AbortSignal) => Promise<FunctionAnswer>;
