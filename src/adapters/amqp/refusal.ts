import { isSlessError, SlessError } from '../../errors.ts';

/** Reply codes of AMQP 0-9-1 that say something about what was asked for. */
const ACCESS_REFUSED = 403;
const NOT_FOUND = 404;
const NOT_ALLOWED = 530;

/** In the library's words, which knows what the broker allows a connection. */
const TOO_FEW_CHANNELS = /No channels left to allocate/;
/** In those of RabbitMQ, which bounds the channels of a user: "… has reached the maximum allowed limit of (1)". */
const LIMIT_REACHED = /maximum allowed limit/;
/** In the library's, which does not say why: the login was accepted, and the virtual host was not opened for it. */
const NOT_OPENED = /Expected ConnectionOpenOk; got <ConnectionClose/;

const KNOWN: readonly (readonly [RegExp, string])[] = [
  [TOO_FEW_CHANNELS, 'the broker allows too few channels on a connection'],
  [LIMIT_REACHED, 'the broker allows this login no more channels'],
  [
    NOT_OPENED,
    'the broker does not open the virtual host: it is not there or not for this login, or has as many connections as it may',
  ],
];

const codeOf = (error: unknown): unknown =>
  error instanceof Error && 'code' in error ? error.code : undefined;

/** Why a queue cannot be used. A broken connection is about the broker, whatever was asked for. */
export function queueProblem(error: unknown, queue: string): SlessError {
  if (isSlessError(error)) return error;
  const code = codeOf(error);
  if (code === NOT_FOUND)
    return new SlessError('QueueNotFound', `there is no queue ${queue}`, { cause: error });
  if (typeof code !== 'number') return brokerProblem(error);
  return new SlessError('QueueRefused', `the broker refuses the queue ${queue}: ${replyText(error)}`, {
    cause: error,
  });
}

/** Whether the broker has answered a copy with basic.nack, which has no code: the library says it in these words alone. */
export const isNacked = (error: unknown): boolean =>
  error instanceof Error && error.message === 'message nacked';

/** A queue that rejects what it has no room for, by its `x-overflow`. It may also be that its leader is just being chosen. */
export const queueFull = (cause: unknown, queue: string): SlessError =>
  new SlessError('QueueRefused', `the queue ${queue} takes no messages: is it full?`, { cause });

/** Why a broker cannot be used. Never its URL: credentials stand in it. */
export function brokerProblem(error: unknown): SlessError {
  if (isSlessError(error)) return error;
  const code = codeOf(error);
  const text = error instanceof Error ? error.message : '';
  const known = KNOWN.find(([pattern]) => pattern.test(text));
  if (known !== undefined) return new SlessError('BrokerRefused', known[1], { cause: error });
  const isRefused =
    code === ACCESS_REFUSED ||
    code === NOT_ALLOWED ||
    /ACCESS[_-]REFUSED|access to vhost|NOT_ALLOWED/i.test(text);
  if (isRefused)
    return new SlessError('BrokerRefused', 'the broker refuses the login or the virtual host', {
      cause: error,
    });
  const why = typeof code === 'string' ? ` (${code})` : '';
  return new SlessError('BrokerUnavailable', `the broker cannot be reached${why}`, { cause: error });
}

/** What the broker said, in one line. */
function replyText(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text
    .replace(/^.*?with message /, '')
    .replaceAll('"', '')
    .slice(0, 300);
}
