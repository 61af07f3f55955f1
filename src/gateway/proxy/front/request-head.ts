import { FIELD, fieldName, isEndToEnd, namedByConnection } from '../../../upstream/field-names.ts';
import type { Peer } from '../../caller/peers.ts';
import type { Admitted, BodyFraming } from '../admitted.ts';

/**
 * The head that the function receives: the caller's lines in their order, without those that end here, then ours. Node's
 * parser has refused control characters in names and values before.
 */
export function requestHead(call: Admitted): string {
  const { request, peer } = call;
  const { headers, rawHeaders } = request;
  const named = namedByConnection(headers.connection);
  let head = `${request.method} ${call.path} HTTP/1.1\r\nHost: ${headers.host ?? ''}\r\n`;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] as string;
    const { kind, lower } = fieldName(name);
    if (isEndToEnd(kind)) {
      if (named?.has(lower)) continue;
    } else if (kind !== FIELD.tracestate || !call.traced) continue;
    head += `${name}: ${rawHeaders[i + 1]}\r\n`;
  }
  head += framingLine(call.framing) + call.route.lines;
  head += peer.trusted ? trustedLines(call) : forwardedLines(call);
  head += `X-Request-Id: ${call.requestId}\r\n`;
  head += `traceparent: ${call.traceparent}\r\n`;
  if (call.upgrade !== undefined) head += `Connection: Upgrade\r\nUpgrade: ${call.upgrade.protocol}\r\n`;
  return `${head}\r\n`;
}

function framingLine(framing: BodyFraming): string {
  if (framing.kind === 'none') return '';
  return framing.kind === 'length'
    ? `Content-Length: ${framing.length}\r\n`
    : 'Transfer-Encoding: chunked\r\n';
}

/** What is said of a caller that is not a proxy of ours: itself alone. */
function forwardedLines({ request, peer, prefix }: Admitted): string {
  const own = prefix === undefined ? '' : `X-Forwarded-Prefix: ${prefix}\r\n`;
  return (
    `X-Forwarded-For: ${peer.address}\r\nX-Forwarded-Proto: ${protoOf(peer)}\r\n` +
    `X-Forwarded-Host: ${request.headers.host ?? ''}\r\n${own}`
  );
}

const protoOf = (peer: Peer): string => (peer.secure ? 'https' : 'http');

/** What a trusted proxy said, continued by this hop. */
function trustedLines({ request, peer, prefix }: Admitted): string {
  const said = (name: string): string | undefined => {
    const value = request.headers[name];
    return typeof value === 'string' && value !== '' ? value : undefined;
  };
  const before = said('x-forwarded-for');
  const outer = said('x-forwarded-prefix')?.replace(/\/+$/, '') ?? '';
  const whole = `${outer.startsWith('/') ? outer : ''}${prefix ?? ''}`;
  const forwarded = said('forwarded');
  const optional = (name: string, value: string | undefined): string =>
    value === undefined || value === '' ? '' : `${name}: ${value}\r\n`;
  return (
    optional('X-Forwarded-For', before === undefined ? peer.address : `${before}, ${peer.address}`) +
    optional('X-Forwarded-Proto', said('x-forwarded-proto') ?? protoOf(peer)) +
    optional('X-Forwarded-Host', said('x-forwarded-host') ?? request.headers.host) +
    optional('X-Forwarded-Port', said('x-forwarded-port')) +
    optional('X-Real-IP', said('x-real-ip')) +
    optional('X-Forwarded-Prefix', whole) +
    optional('Forwarded', forwarded && `${forwarded}, for=${forwardedNode(peer.address)}`)
  );
}

/** RFC 7239 §6: IPv6 in brackets and quotes. */
const forwardedNode = (address: string): string => (address.includes(':') ? `"[${address}]"` : address);
