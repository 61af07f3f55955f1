'use strict';
// Runs the function a single time: the event from a file, the result to a file, the outcome as exit status.

const { isUtf8 } = require('node:buffer');
const { readFileSync, writeFileSync } = require('node:fs');
const { bytesOf, isStream, toJson } = require('./answer.cjs');
const { newRequestId } = require('./context.cjs');
const { parseJson } = require('./event.cjs');
const { say, sayError } = require('./log.cjs');
const { Pieces } = require('./pieces.cjs');
const { Refusal } = require('./refusal.cjs');

// What Kubernetes keeps of a termination message.
const MAX_RESULT = 4096;

/** Ends the process: 0, or 1 when the function failed, answered 400 or more, or took too long. */
async function runOnce(handler, settings) {
  const end = (status, result) => {
    writeResult(settings.resultFile, result);
    process.exit(status);
  };
  process.on('SIGTERM', () => end(143, errorOf('FunctionError', 'The run was stopped before it ended.')));
  const message = `The function did not end within ${settings.timeout} s.`;
  setTimeout(() => {
    say(message);
    end(1, errorOf('FunctionTimeout', message));
  }, settings.timeout * 1000);
  const { status, result } = await outcomeOf(handler, settings);
  end(status, result);
}

/** {status, result}, the result as JSON text. */
async function outcomeOf(handler, settings) {
  const requestId = newRequestId();
  try {
    const body = readFileSync(settings.eventFile);
    const event = body.length === 0 ? {} : parseJson(body);
    const returned = await handler(event, contextOf(settings, body, requestId));
    return { status: returned?.statusCode >= 400 ? 1 : 0, result: await resultOf(returned) };
  } catch (error) {
    if (error instanceof Refusal) {
      say(`run ${requestId}: ${error.message}`);
      return { status: 1, result: errorOf(error.code, error.message) };
    }
    sayError(`run ${requestId} failed`, error);
    return { status: 1, result: errorOf('FunctionError', String(error)) };
  }
}

function contextOf(settings, body, requestId) {
  return {
    method: 'POST',
    path: '/',
    query: {},
    headers: { 'content-type': 'application/json' },
    body,
    requestId,
    traceId: null,
    function: settings.function,
    namespace: settings.namespace,
    trigger: 'job',
    triggerName: null,
    deadline: Date.now() + settings.timeout * 1000,
    message: null,
  };
}

async function resultOf(returned) {
  if (typeof returned !== 'object' || returned === null) return toJson(returned);
  const bytes = isStream(returned) ? await collect(returned) : bytesOf(returned);
  if (bytes === undefined) return toJson(returned);
  return toJson(isUtf8(bytes) ? bytes.toString('utf8') : { base64: bytes.toString('base64') });
}

/** A stream runs to its end; no more of it is kept than could be shown. */
async function collect(source) {
  const pieces = new Pieces(source);
  const kept = [];
  let size = 0;
  for (let piece = await pieces.next(); piece !== undefined; piece = await pieces.next()) {
    if (size <= MAX_RESULT) kept.push(Buffer.from(piece));
    size += piece.length;
  }
  return Buffer.concat(kept);
}

function errorOf(code, message) {
  return JSON.stringify({ error: message, code });
}

function writeResult(path, result) {
  try {
    writeFileSync(path, fitted(result));
  } catch (error) {
    say(`cannot write the result to ${path}: ${error.message}`);
  }
}

/** At most 4 KiB of JSON. What is longer becomes {truncated, bytes, head}, head being its beginning. */
function fitted(result) {
  const bytes = Buffer.byteLength(result);
  if (bytes <= MAX_RESULT) return result;
  let length = MAX_RESULT;
  for (;;) {
    const short = JSON.stringify({ truncated: true, bytes, head: result.slice(0, length) });
    const excess = Buffer.byteLength(short) - MAX_RESULT;
    if (excess <= 0) return short;
    length -= Math.max(1, Math.floor(excess / 8));
  }
}

module.exports = { runOnce };
