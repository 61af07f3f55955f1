import type { IncomingMessage } from 'node:http';
import type { BodyFraming } from './admitted.ts';
import { tooLarge } from './exchange.ts';
import { functionOfHost, hostName } from './front/host.ts';
import { readHostTarget, readTarget, type Target } from './front/target.ts';
import { enter } from './limits.ts';
import type { ProxySettings } from './options.ts';
import { NOT_SERVED, type Refusal } from './refusal.ts';
import type { Route } from './routes/route.ts';

/** Where a request may go, or why it may not. */
export type Admission =
  | { readonly refusal: Refusal }
  | {
      readonly refusal?: undefined;
      readonly route: Route;
      readonly path: string;
      readonly prefix: string | undefined;
      readonly framing: BodyFraming;
    };

export interface AdmissionDeps {
  readonly settings: Pick<ProxySettings, 'host' | 'domain' | 'maxBody'>;
  find(key: string): Route | undefined;
  /** Whether it asks for another protocol. */
  readonly upgrade: boolean;
}

/** A function that is stopped stays so until somebody starts it; one at its limit is free again at any moment. */
const RETRY_STOPPED_S = 30;
const RETRY_BUSY_S = 1;

/** Decides about a request by its head alone. A request that is let in counts as in flight from here on. */
export function admit(request: IncomingMessage, { settings, find, upgrade }: AdmissionDeps): Admission {
  const { target, byHost } = locate(request, settings);
  if (target.kind === 'bad') return invalid(target.message);
  const route = target.kind === 'function' ? find(target.key) : undefined;
  if (route === undefined || target.kind !== 'function') return { refusal: NOT_SERVED };
  const framing = framingOf(request);
  if (framing === undefined) return invalid('Transfer-Encoding must be "chunked"');
  if (upgrade && framing.kind !== 'none') return invalid('a request for another protocol must have no body');
  const refusal = sizeRefusal(framing, settings.maxBody) ?? downRefusal(route) ?? busyRefusal(route);
  if (refusal !== undefined) return { refusal };
  return { route, path: target.path, prefix: byHost ? undefined : route.prefix, framing };
}

const invalid = (message: string): Admission => ({ refusal: { code: 'InvalidRequest', message } });

function locate(
  request: IncomingMessage,
  settings: AdmissionDeps['settings'],
): { target: Target; byHost: boolean } {
  const url = request.url ?? '';
  if (settings.host === undefined && settings.domain === undefined) {
    return { target: readTarget(url), byHost: false };
  }
  const host = hostName(request.headers.host ?? '');
  const key = settings.domain === undefined ? undefined : functionOfHost(host, settings.domain);
  if (key !== undefined) return { target: readHostTarget(url, key), byHost: true };
  const elsewhere = settings.host !== undefined && settings.host !== host;
  return { target: elsewhere ? { kind: 'none' } : readTarget(url), byHost: false };
}

/** `undefined` for a transfer coding that nobody here speaks. Node's parser refuses it beside a Content-Length. */
function framingOf({ headers }: IncomingMessage): BodyFraming | undefined {
  const coding = headers['transfer-encoding'];
  if (coding !== undefined) return coding.toLowerCase() === 'chunked' ? { kind: 'chunked' } : undefined;
  const length = headers['content-length'];
  return length === undefined ? NO_BODY : { kind: 'length', length: Number(length) };
}

const NO_BODY: BodyFraming = Object.freeze({ kind: 'none' });

function sizeRefusal(framing: BodyFraming, limit: number): Refusal | undefined {
  return framing.kind === 'length' && framing.length > limit ? tooLarge(limit) : undefined;
}

function downRefusal({ down }: Route): Refusal | undefined {
  if (down === undefined) return undefined;
  return down === 'stopped'
    ? { code: 'FunctionStopped', message: 'the function is stopped', retryAfter: RETRY_STOPPED_S }
    : { code: 'UpstreamUnreachable', message: 'no pod of the function is ready' };
}

function busyRefusal({ inFlight }: Route): Refusal | undefined {
  const reached = enter(inFlight);
  if (reached === undefined) return undefined;
  const who = reached === 'function' ? 'the function has' : 'the namespace has';
  return {
    code: 'TooManyRequests',
    message: `${who} as many calls in flight as it may`,
    retryAfter: RETRY_BUSY_S,
  };
}
