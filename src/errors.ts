/**
 * The closed table of everything that sless can say went wrong.
 *
 * A code is at once the `code` of a REST error, the `reason` of a condition and the word to search the
 * troubleshooting page for. `http` is the answer's status when the error reaches a caller; `actor` says
 * who must act: the `user` (it stays failed until they do), `time` (it is tried again), or `us` (a bug). `seen` says where
 * users meet it when that is not an answer alone: as the reason of a `condition`, or `both`.
 */
export const ERRORS = {
  // Requests
  InvalidRequest: { http: 400, actor: 'user' },
  InvalidArchive: { http: 400, actor: 'user', seen: 'both' },
  InvalidCode: { http: 400, actor: 'user' },
  EntrypointNotFound: { http: 400, actor: 'user' },
  Unauthenticated: { http: 401, actor: 'user' },
  Forbidden: { http: 403, actor: 'user' },
  NotFound: { http: 404, actor: 'user' },
  NamespaceNotFound: { http: 404, actor: 'user' },
  MethodNotAllowed: { http: 405, actor: 'user' },
  RequestTimeout: { http: 408, actor: 'user' },
  AlreadyExists: { http: 409, actor: 'user' },
  Conflict: { http: 409, actor: 'time' },
  Gone: { http: 410, actor: 'time' },
  PayloadTooLarge: { http: 413, actor: 'user' },
  UnsupportedMediaType: { http: 415, actor: 'user' },
  ExpectationFailed: { http: 417, actor: 'user' },
  Invalid: { http: 422, actor: 'user' },
  TooManyRequests: { http: 429, actor: 'time' },
  UpgradeRequired: { http: 426, actor: 'user' },
  HeadersTooLarge: { http: 431, actor: 'user' },
  Internal: { http: 500, actor: 'us' },
  NotImplemented: { http: 501, actor: 'us' },
  HttpVersionNotSupported: { http: 505, actor: 'user' },
  Unavailable: { http: 503, actor: 'time' },
  // Calls of a function
  UpstreamUnreachable: { http: 502, actor: 'time' },
  UpstreamInvalid: { http: 502, actor: 'user' },
  FunctionError: { http: 500, actor: 'user', seen: 'both' },
  FunctionRefused: { http: 400, actor: 'user' },
  FunctionStopped: { http: 503, actor: 'user', seen: 'both' },
  FunctionBusy: { http: 429, actor: 'time', seen: 'condition' },
  FunctionTimeout: { http: 504, actor: 'user', seen: 'both' },
  // A Function's spec and source
  NamespaceNotEnabled: { http: 409, actor: 'user', seen: 'both' },
  InvalidSpec: { http: 400, actor: 'user', seen: 'condition' },
  UnknownRuntime: { http: 400, actor: 'user', seen: 'both' },
  ForbiddenSource: { http: 403, actor: 'user', seen: 'both' },
  ForbiddenSecret: { http: 403, actor: 'user', seen: 'condition' },
  AwaitingCode: { http: 409, actor: 'user', seen: 'both' },
  NoSuchVersion: { http: 404, actor: 'user', seen: 'both' },
  // Builds
  Building: { http: 409, actor: 'time', seen: 'condition' },
  BuildFailed: { http: 409, actor: 'user', seen: 'condition' },
  BuildTimedOut: { http: 409, actor: 'user', seen: 'condition' },
  BuildOutOfMemory: { http: 409, actor: 'user', seen: 'condition' },
  ImageTooLarge: { http: 409, actor: 'user', seen: 'condition' },
  BuildLost: { http: 409, actor: 'user', seen: 'condition' },
  BuilderUnavailable: { http: 409, actor: 'user', seen: 'condition' },
  RegistryRefused: { http: 409, actor: 'user', seen: 'condition' },
  RegistryUnavailable: { http: 409, actor: 'user', seen: 'condition' },
  SourceUnavailable: { http: 409, actor: 'user', seen: 'condition' },
  // Rollouts
  ChildNotApplied: { http: 409, actor: 'user', seen: 'condition' },
  Deploying: { http: 409, actor: 'time', seen: 'condition' },
  ProgressDeadlineExceeded: { http: 409, actor: 'user', seen: 'condition' },
  CrashLoop: { http: 409, actor: 'user', seen: 'condition' },
  OutOfMemory: { http: 409, actor: 'user', seen: 'condition' },
  ImagePullFailed: { http: 409, actor: 'user', seen: 'condition' },
  ContainerConfigInvalid: { http: 409, actor: 'user', seen: 'condition' },
  // Triggers
  FunctionNotFound: { http: 404, actor: 'user', seen: 'condition' },
  ConsumerPending: { http: 409, actor: 'time', seen: 'condition' },
  ConsumerFailed: { http: 409, actor: 'time', seen: 'condition' },
  QueueNotFound: { http: 404, actor: 'user', seen: 'condition' },
  QueueRefused: { http: 403, actor: 'user', seen: 'condition' },
  BrokerUnavailable: { http: 503, actor: 'time', seen: 'condition' },
  BrokerBlocked: { http: 503, actor: 'time', seen: 'condition' },
  MessageCircles: { http: 409, actor: 'user' },
  MessageUnreadable: { http: 409, actor: 'user', seen: 'condition' },
  BrokerRefused: { http: 403, actor: 'user', seen: 'condition' },
  BrokerSecretInvalid: { http: 403, actor: 'user', seen: 'condition' },
  // Runs of a FunctionJob
  RunLost: { http: 409, actor: 'user', seen: 'condition' },
  RunNotHigher: { http: 409, actor: 'user', seen: 'condition' },
} as const satisfies Record<string, ErrorEntry>;

/** Who must act for an error to go away. */
export type Actor = 'user' | 'time' | 'us';

export interface ErrorEntry {
  readonly http: number;
  readonly actor: Actor;
  readonly seen?: 'condition' | 'both';
}

/** A code of the closed table. */
export type ErrorCode = keyof typeof ERRORS;

interface SlessErrorOptions extends ErrorOptions {
  /** One line for each single mistake, when there are several. */
  readonly details?: readonly string[];
  /** Seconds after which another try makes sense; becomes `Retry-After`. */
  readonly retryAfterSeconds?: number;
}

/** Every error that sless throws on purpose. The message is written for who must act and holds no secret. */
export class SlessError extends Error {
  override readonly name = 'SlessError';
  readonly code: ErrorCode;
  readonly details: readonly string[];
  readonly retryAfterSeconds: number | undefined;

  constructor(code: ErrorCode, message: string, options: SlessErrorOptions = {}) {
    super(message, options);
    this.code = code;
    this.details = options.details ?? [];
    this.retryAfterSeconds = options.retryAfterSeconds;
  }

  get http(): number {
    return ERRORS[this.code].http;
  }

  get actor(): Actor {
    return ERRORS[this.code].actor;
  }
}

/** Whether `error` is a SlessError, of that code where one is given. */
export function isSlessError(error: unknown, code?: ErrorCode): error is SlessError {
  return error instanceof SlessError && (code === undefined || error.code === code);
}

/** Whether a text is a code of the closed table. */
export function isErrorCode(text: unknown): text is ErrorCode {
  return typeof text === 'string' && Object.hasOwn(ERRORS, text);
}
