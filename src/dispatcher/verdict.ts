import { type ErrorCode, isSlessError } from '../errors.ts';
import type { InvocationResult } from '../ports/invoker.ts';

/** Why a message was not dealt with. */
export interface Reason {
  readonly code: ErrorCode;
  /** For a person: it becomes a header of the dead letter. */
  readonly detail: string;
}

/**
 * What a call means for its message. `done`, `again` and `refused` were tries; `busy` and `unreachable` were none: the function has not
 * begun with it.
 */
export type Verdict =
  | { readonly kind: 'done' }
  | { readonly kind: 'again'; readonly reason: Reason }
  | { readonly kind: 'refused'; readonly reason: Reason }
  | { readonly kind: 'busy' }
  | { readonly kind: 'unreachable' };

const REQUEST_TIMEOUT = 408;
const TOO_MANY_REQUESTS = 429;
/** On the 429 of a runtime that has not begun with the call. A function's own 429 cannot carry it, and is an answer as any other. */
const BUSY = 'x-sless-busy';
/** Of an answer, in the reason. */
const SHOWN = 300;

export function verdictOfAnswer({ status, headers, body }: InvocationResult): Verdict {
  if (status >= 200 && status < 300) return { kind: 'done' };
  if (status === TOO_MANY_REQUESTS && headers[BUSY] !== undefined) return { kind: 'busy' };
  const isPassing = status >= 500 || status === REQUEST_TIMEOUT || status === TOO_MANY_REQUESTS;
  const detail = `the function answered ${status}${shown(body)}`;
  return isPassing
    ? { kind: 'again', reason: { code: 'FunctionError', detail } }
    : { kind: 'refused', reason: { code: 'FunctionRefused', detail } };
}

export function verdictOfError(error: unknown): Verdict {
  if (isSlessError(error, 'UpstreamUnreachable')) return { kind: 'unreachable' };
  const detail = error instanceof Error ? error.message : String(error);
  if (isSlessError(error, 'InvalidRequest') || isSlessError(error, 'HeadersTooLarge'))
    return { kind: 'refused', reason: { code: error.code, detail } };
  return { kind: 'again', reason: { code: isSlessError(error) ? error.code : 'Internal', detail } };
}

/** The beginning of the answer in one line, fit for a header. */
function shown(body: Uint8Array): string {
  const text = Buffer.from(body.subarray(0, SHOWN))
    .toString('utf8')
    .replace(/[\s\p{C}]+/gu, ' ')
    .trim();
  return text === '' ? '' : `: ${text}`;
}
