'use strict';
// What a function is told about its call.

const { badRequest } = require('./refusal.cjs');

const TRIGGERS = new Set(['http', 'cron', 'event', 'job']);
const NO_FIELDS = () => ({});

/**
 * {method, path, query, headers, body, requestId, traceId, function, namespace, trigger, triggerName, deadline, message}:
 * path undecoded, header names in lower case, body a Buffer, traceId null where the call belongs to no trace, trigger http, cron, event or job, triggerName and
 * message null where there is none, deadline in milliseconds since 1970. Throws Refusal.
 */
function contextOf(request, body, settings) {
  const { headers, method, target } = request;
  const mark = target.indexOf('?');
  const trigger = headers['x-sless-trigger'];
  return {
    method,
    path: mark === -1 ? target : target.slice(0, mark),
    query: mark === -1 ? NO_FIELDS() : require('./forms.cjs').parseFields(target.slice(mark + 1)),
    headers,
    body,
    requestId: headers['x-request-id'] || newRequestId(),
    traceId: traceOf(headers.traceparent),
    function: settings.function,
    namespace: settings.namespace,
    trigger: TRIGGERS.has(trigger) ? trigger : 'http',
    triggerName: headers['x-sless-trigger-name'] ?? null,
    deadline: Date.now() + timeoutOf(headers['x-sless-timeout-ms'], settings.timeout * 1000),
    message: messageOf(headers['x-sless-message']),
  };
}

/** The id in a W3C traceparent. */
function traceOf(text = '') {
  return /^[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-[0-9a-f]{16}-/.exec(text)?.[1] ?? null;
}

/** Required late: the proxy sends an id, and node:crypto takes 3 ms of the start. */
function newRequestId() {
  return require('node:crypto').randomUUID();
}

/** Milliseconds that the call may take from now on. The platform sends a length of time, since the clocks of two nodes differ. */
function timeoutOf(text, own) {
  if (text === undefined) return own;
  if (!/^\d{1,15}$/.test(text)) {
    throw badRequest('The header x-sless-timeout-ms is not a number of milliseconds.');
  }
  return Math.min(own, Number(text));
}

function messageOf(text) {
  if (text === undefined) return null;
  try {
    return JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
  } catch {
    throw badRequest('The header x-sless-message is not JSON in base64url.');
  }
}

module.exports = { contextOf, newRequestId };
