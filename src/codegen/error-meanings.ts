import type { ErrorCode } from '../errors.ts';

/** What each code means and what to do about it, for whoever meets it, in Markdown. */
export const ERROR_MEANINGS: Readonly<Record<ErrorCode, string>> = {
  InvalidRequest: 'The request is malformed. `details` names every mistake; correct those.',
  InvalidArchive: 'The zip was refused; the message names the entry and the reason. Nothing was stored.',
  InvalidCode:
    'The review of the code refused it; the message says why, and nothing was stored. Correct it, or ask whoever runs the installation.',
  EntrypointNotFound:
    'The file of the entrypoint is not in the zip. The message says what was looked for and what was found.',
  Unauthenticated:
    'No token, or one that is not valid here: expired, of another issuer or audience, badly signed. Get a new one.',
  Forbidden: "The token is good, but this namespace is not its owner's.",
  NotFound: 'There is no such object or route.',
  NamespaceNotFound: 'The namespace has not been made. `POST /v1/namespaces/{ns}/ensure` makes it.',
  MethodNotAllowed: 'The route exists, but not for this method. `Allow` lists those that do.',
  RequestTimeout: 'The request came too slowly, or stopped coming.',
  AlreadyExists: 'The name is taken.',
  Conflict: 'Somebody else changed the object at the same moment. Read it again and repeat.',
  Gone: 'The cursor of a list is too old. Begin the list again.',
  PayloadTooLarge: 'The body passes the limit: 32 MiB for an upload, `FN_MAX_BODY` for a call of a function.',
  UnsupportedMediaType: 'Another content type is expected; the message names it.',
  ExpectationFailed: '`Expect` asks for something other than `100-continue`.',
  Invalid: 'The Kubernetes API refused the object. `details` names every mistake.',
  TooManyRequests: 'Too much at once. Try again after `Retry-After` seconds.',
  UpgradeRequired:
    'The runtime speaks plain HTTP alone: WebSockets and other upgrades need a server of your own.',
  HeadersTooLarge: "The request's headers pass the limit.",
  Internal: "A bug. The log has the cause under the answer's request id.",
  NotImplemented: 'This installation cannot do that: the message says what it lacks.',
  HttpVersionNotSupported: 'The request line names another version than HTTP/1.1 or HTTP/1.0.',
  Unavailable:
    'Something that is needed (the cluster, the object store, the token issuer) cannot be reached. Try again.',
  UpstreamUnreachable:
    "No pod of the function is ready, or none can be reached. Look at the function's `phase` and `message`.",
  UpstreamInvalid: "The function's answer was no valid HTTP, or broke off.",
  FunctionError:
    "The function's handler failed on this call. Its stack is in the function's log, under the request id.",
  FunctionRefused:
    'The function answered a message with a status of 4xx: it will not take it, so it is not tried again.',
  FunctionBusy:
    'All places of the function are taken: fewer messages are sent at once until it takes them. Raise `concurrency` or `replicas`.',
  FunctionStopped: 'The function is scaled to zero. Start it, or raise `replicas`.',
  FunctionTimeout:
    'The function did not answer within `timeout_seconds`. Raise it, or make the function quicker.',
  NamespaceNotEnabled: 'The namespace lacks the label `sless.dev/tenant=true`, so nothing is done in it.',
  InvalidSpec:
    'The object breaks a rule that its schema cannot state. The message names it. The last good version goes on serving.',
  UnknownRuntime: 'There is no such runtime here. The message lists those that are.',
  ForbiddenSource: "`s3Key` or `s3Bucket` points outside this function's own place in the object store.",
  ForbiddenSecret: 'Only Secrets whose names begin with `fn-` may be given to functions.',
  AwaitingCode: 'The function has no code yet. Upload a zip.',
  NoSuchVersion: 'There is no good build of that key to go back to. `versions` lists those that are.',
  Building: 'The image is being built.',
  BuildFailed:
    'The build ended with an error; the message has its last lines. Correct the code and upload again.',
  BuildTimedOut: 'The build passed `build_timeout_seconds`.',
  BuildOutOfMemory: 'The build needed more memory than the installation grants.',
  ImageTooLarge:
    'The build needed more disk than the installation grants, the image has more than 16 GiB when it is unpacked, or the registry takes no layer of that size. Have fewer or smaller dependencies and files.',
  BuildLost: "The build's Job was deleted before its end was seen. It is not run again by itself: `rebuild`.",
  BuilderUnavailable:
    "This installation cannot build it: the code has dependencies and there is no builder for them, or the runtime's image is not in the registry.",
  RegistryRefused:
    "The registry refused the build's login, or asks for one. It is the administrator's to correct; then `rebuild`.",
  RegistryUnavailable:
    'The registry could not be reached, and the tries are used up. Once it is back: `rebuild`, or upload again.',
  SourceUnavailable:
    'The build could not fetch its context from the object store, and the tries are used up. `rebuild`, or upload again.',
  ChildNotApplied:
    'A wanted Deployment, Service or Job has not appeared for a minute: a quota, an admission rule, or a namesake that is not ours. Or something in the cluster keeps one another than it is wanted; the message names what.',
  Deploying: 'A new version is being rolled out; the last one goes on serving.',
  ProgressDeadlineExceeded:
    'The new version did not become ready within three minutes. The message says why its pods fail, as far as that is known.',
  CrashLoop:
    "The function's process ends again and again; the message has its last lines. For three minutes the phase is Deploying, then Failed; the version before serves on.",
  OutOfMemory: 'The function was ended for passing its memory limit. Raise `resources.limits.memory`.',
  ImagePullFailed:
    "An image cannot be pulled: the function's by its node, or one that its build needs. The message names it. A node tries again by itself; a build that failed of it does not: rebuild, or upload again, once the image is there.",
  ContainerConfigInvalid: 'The pod cannot be made as asked, for instance because a Secret is missing.',
  FunctionNotFound: 'The trigger or job names a Function that does not exist in its namespace.',
  ConsumerPending: 'No dispatcher has taken the queue on yet. It does so within seconds, where one runs.',
  RunLost:
    "The run's Job was deleted before its end was seen. Nobody knows how far it came, so it is not run again by itself: raise `runID`.",
  RunNotHigher: 'A higher run has begun before, so this `runID` runs nothing. Only a higher one does.',
  ConsumerFailed: 'The dispatcher cannot consume the queue. The message says why; it tries again by itself.',
  QueueNotFound:
    'There is no such queue on the broker. Declare it, or correct `queue`; it is looked for every 5 s.',
  QueueRefused:
    'The broker does not let this queue be used as the trigger needs it; or it is a dead-letter queue that is full, or a stream, which triggers do not carry; the message says which. Tried again every 5 s.',
  BrokerUnavailable:
    'The message broker cannot be reached. It is tried again until it can; no message is lost.',
  BrokerBlocked:
    'The message broker is short of memory or disk and takes no messages: what is to be tried again or is a dead letter waits in hand. It goes on when the broker does.',
  MessageCircles:
    'A message has been a dead letter ten times, most likely because Triggers name each other’s queues as `deadLetterQueue`. It lies in `sless.parked.{namespace}.{trigger}`, which nobody consumes: break the circle, then move it back.',
  MessageUnreadable:
    'A message of the queue, or of its retry queue, breaks the connection of whoever takes it, for instance by tables nested thousands deep. Remove it; until then the Trigger has a connection alone and takes one message at a time. On a dead letter: its headers or properties made no sense, and no function was called.',
  BrokerRefused:
    'The broker refuses the login or the virtual host, or allows it no more connections or channels; the message says which. Correct the URL, or raise the limit; both are looked at again at every try.',
  BrokerSecretInvalid:
    'The Secret of `brokerSecret` is missing, has no usable `url`, or names a host that this installation does not allow.',
};
