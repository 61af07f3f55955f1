import { randomBytes } from 'node:crypto';
import { SlessError } from '../errors.ts';
import type { Invocation } from '../ports/invoker.ts';
import type { Delivery } from '../ports/message-bus.ts';
import { isTraceparent, newTraceparent } from '../ports/trace-context.ts';
import type { Consumer } from '../resources/trigger/consumer.ts';

interface CallOptions {
  readonly requestId: string;
  readonly trace: Trace;
  readonly signal: AbortSignal;
}

/** The runtimes take a head of 64 KiB; this leaves a quarter of it to everything else. */
const MAX_MESSAGE_HEADER = 48 * 1024;

/**
 * The call of a function for a message. The body goes without a type: runtimes read such a body as JSON where it is JSON and leave it as it is
 * where not, whatever the sender called it. All the rest is in one header, as `context.message`.
 *
 * @throws SlessError `HeadersTooLarge` where that header would not fit
 */
export function callOf(
  delivery: Delivery,
  consumer: Consumer,
  { requestId, trace, signal }: CallOptions,
): Invocation {
  const { properties, attempts, body, queue } = delivery;
  const message = { ...properties, queue, attempt: attempts + 1 };
  const encoded = Buffer.from(JSON.stringify(message)).toString('base64url');
  if (encoded.length > MAX_MESSAGE_HEADER)
    throw new SlessError(
      'HeadersTooLarge',
      `its headers and properties are ${encoded.length} bytes encoded, and functions take ${MAX_MESSAGE_HEADER}`,
    );
  const timeoutMs = consumer.timeoutSeconds * 1000;
  return {
    namespace: consumer.namespace,
    function: consumer.function,
    method: 'POST',
    path: '/',
    headers: {
      'x-request-id': requestId,
      'x-sless-trigger': 'event',
      'x-sless-trigger-name': consumer.trigger,
      'x-sless-timeout-ms': String(timeoutMs),
      'x-sless-message': encoded,
      ...trace,
    },
    body,
    timeoutMs,
    signal,
  };
}

/** W3C trace context. */
export interface Trace {
  readonly traceparent: string;
  readonly tracestate?: string;
}

/** The trace that the sender has put into the message's headers, as the AMQP binding says; else one that begins here. */
export function traceOf({ properties: { headers } }: Delivery): Trace {
  const { traceparent, tracestate } = headers;
  if (typeof traceparent !== 'string' || !isTraceparent(traceparent))
    return { traceparent: newTraceparent((bytes) => randomBytes(bytes).toString('hex')) };
  const hasState = typeof tracestate === 'string' && /^[\x20-\x7e]{1,512}$/.test(tracestate);
  return hasState ? { traceparent, tracestate } : { traceparent };
}
