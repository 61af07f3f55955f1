import type { IncomingMessage } from 'node:http';
import { isTraceparent, newTraceparent } from '../../ports/trace-context.ts';
import type { SpanStart, Tracer } from '../../ports/tracer.ts';
import { isRequestId } from '../caller/ids.ts';
import type { Peer, Peers } from '../caller/peers.ts';
import { admit } from './admission.ts';
import type { Admitted } from './admitted.ts';
import { recordRefused } from './call-log.ts';
import { Exchange, type ExchangeDeps } from './exchange.ts';
import { refuse } from './refusal.ts';
import type { Route } from './routes/route.ts';

/** In which way a request came. */
export type Manner = Pick<Admitted, 'expectsContinue' | 'upgrade'>;

/** Takes a request in: an exchange begins, or it is refused. */
export type Receive = (arrival: Pick<Admitted, 'request' | 'response'>, manner: Manner) => void;

interface ReceptionDeps extends ExchangeDeps {
  readonly peerOf: Peers['peerOf'];
  readonly tracer: Tracer | undefined;
}

/** `find` knows the routes. */
export function createReception(deps: ReceptionDeps, find: (key: string) => Route | undefined): Receive {
  const { settings, ids, peerOf, callerOf, tracer } = deps;
  const requestIdOf = (request: IncomingMessage, peer: Peer): string => {
    const said = peer.trusted ? request.headers['x-request-id'] : undefined;
    return typeof said === 'string' && isRequestId(said) ? said : ids.hex(16);
  };
  return ({ request, response }, manner) => {
    const peer = peerOf(request.socket);
    const requestId = requestIdOf(request, peer);
    const decided = admit(request, { settings, find, callerOf, peer, upgrade: manner.upgrade !== undefined });
    if (decided.refusal !== undefined) {
      deps.refused(decided.refusal);
      refuse({ request, response, requestId }, decided.refusal);
      const { route } = decided;
      if (deps.calls !== undefined && route !== undefined)
        recordRefused(deps.calls, { route, requestId, traceparent: ownTrace(request) }, decided.refusal);
      return;
    }
    const own = ownTrace(request);
    const span = tracer?.begin(spanOf(request, decided.route, own));
    const sharedHost = settings.host === undefined && decided.prefix !== undefined;
    // Written out: spreading costs more than all the rest here.
    new Exchange(deps, {
      request,
      response,
      peer,
      requestId,
      traceparent: span?.traceparent ?? own ?? newTraceparent(ids.hex),
      span,
      traced: own !== undefined,
      sharedHost,
      route: decided.route,
      path: decided.path,
      prefix: decided.prefix,
      framing: decided.framing,
      uploader: decided.uploader,
      expectsContinue: manner.expectsContinue,
      upgrade: manner.upgrade,
    }).start();
  };
}

/** The trace that the caller says its request belongs to. */
function ownTrace({ headers: { traceparent } }: IncomingMessage): string | undefined {
  return typeof traceparent === 'string' && isTraceparent(traceparent) ? traceparent : undefined;
}

/** Named as OpenTelemetry's conventions have it. The path is left out: it may hold what is nobody's business. */
function spanOf(
  { method = '' }: IncomingMessage,
  { namespace, name }: Route,
  parent: string | undefined,
): SpanStart {
  const attributes = {
    'http.request.method': method,
    'http.route': '/fn/{namespace}/{name}',
    'sless.namespace': namespace,
    'sless.function': name,
  };
  return { name: 'call', kind: 'server', parent, attributes };
}
