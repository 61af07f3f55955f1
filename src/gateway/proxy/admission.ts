import type { IncomingMessage } from 'node:http';
import type { CallerOf, Peer } from '../caller/peers.ts';
import type { BodyFraming } from './admitted.ts';
import { busy, tooOften } from './busy.ts';
import { functionOfHost, hostName } from './front/host.ts';
import { readHostTarget, readTarget, type Target } from './front/target.ts';
import { boundOf, enter, enterUpload } from './limits.ts';
import type { ProxySettings } from './options.ts';
import { NOT_SERVED, type Refusal, tooLarge } from './refusal.ts';
import { isCollected, isStreamed } from './request-body.ts';
import type { Route } from './routes/route.ts';

/** Where a request may go, or why it may not. */
export type Admission =
  /** `route` where it is known which function was meant. */
  | { readonly refusal: Refusal; readonly route?: Route }
  | {
      readonly refusal?: undefined;
      readonly route: Route;
      readonly path: string;
      readonly prefix: string | undefined;
      readonly framing: BodyFraming;
      /** Whose upload it counts as, where its body is carried while it comes. */
      readonly uploader: string | undefined;
    };

export interface AdmissionDeps {
  readonly settings: Pick<ProxySettings, 'host' | 'domain' | 'maxBody'>;
  find(key: string): Route | undefined;
  /** The address of who sends it, beyond proxies that are trusted. */
  readonly callerOf: CallerOf;
  readonly peer: Peer;
  /** Whether it asks for another protocol. */
  readonly upgrade: boolean;
}

/** A function that is stopped stays so until somebody starts it. */
const RETRY_STOPPED_S = 30;

/**
 * Decides about a request by its head alone. A request that is let in counts as in flight from here on, but for one with a
 * small body: it gets its place once the body is there, so that a sender who falls silent holds none.
 */
export function admit(request: IncomingMessage, deps: AdmissionDeps): Admission {
  const { settings, find, upgrade } = deps;
  const { target, byHost } = locate(request, settings);
  if (target.kind === 'bad') return invalid(target.message);
  const route = target.kind === 'function' ? find(target.key) : undefined;
  if (route === undefined || target.kind !== 'function') return { refusal: NOT_SERVED };
  const framing = framingOf(request);
  if (framing === undefined) return invalid('Transfer-Encoding must be "chunked"');
  if (upgrade && framing.kind !== 'none') return invalid('a request for another protocol must have no body');
  const uploader = isStreamed(framing) ? deps.callerOf(request, deps.peer) : undefined;
  const refusal =
    sizeRefusal(framing, settings.maxBody) ??
    downRefusal(route) ??
    rateRefusal(route) ??
    busyRefusal(route, framing, uploader);
  if (refusal !== undefined) return { refusal, route };
  return { route, path: target.path, prefix: byHost ? undefined : route.prefix, framing, uploader };
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

function rateRefusal({ rate }: Route): Refusal | undefined {
  const wait = rate?.take() ?? 0;
  return wait > 0 ? tooOften(wait) : undefined;
}

function busyRefusal(
  { inFlight }: Route,
  framing: BodyFraming,
  uploader: string | undefined,
): Refusal | undefined {
  const reached = isCollected(framing)
    ? boundOf(inFlight)
    : uploader === undefined
      ? enter(inFlight)
      : enterUpload(inFlight, uploader);
  return reached === undefined ? undefined : busy(reached);
}
