'use strict';
// What a function returned, as status, headers and a body that can be sent.

const { badResult } = require('./refusal.cjs');

const JSON_TYPE = 'application/json';
const TEXT_TYPE = 'text/plain; charset=utf-8';
const BYTES_TYPE = 'application/octet-stream';

const NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;
const BODILESS = new Set([204, 205, 304]);
// The server's own: what frames the answer, and what concerns the connection alone.
const OURS = new Set([
  'connection',
  'content-length',
  'date',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);
// By such headers the runtime itself speaks to the platform.
const PLATFORM = 'x-sless-';

/**
 * {status, contentType, headers, body, source, announced}: headers a flat list of names and values; the body is
 * `body`, a text or bytes, or comes from `source`; `announced` is the content-length that the function states for
 * a body which it does not give, in answer to HEAD. Throws Refusal when the result cannot be sent.
 */
function answerOf(result) {
  if (isObject(result) && Object.hasOwn(result, 'statusCode')) return explicitAnswer(result);
  return contentOf(result, false);
}

function answerOfRefusal(refusal) {
  return answer(refusal.status, JSON_TYPE, { body: refusal.body(), headers: refusal.headers });
}

function answer(status, contentType, { body = '', headers = [], source } = {}) {
  return { status, contentType, headers, body, source, announced: undefined };
}

function explicitAnswer({ statusCode, headers, body, isBase64Encoded }) {
  if (!Number.isInteger(statusCode) || statusCode < 200 || statusCode > 599) {
    throw badResult(
      `The function's statusCode must be a whole number from 200 to 599, not ${show(statusCode)}.`,
    );
  }
  const lines = readHeaders(headers);
  const empty = body === undefined || body === null || BODILESS.has(statusCode);
  const decoded = isBase64Encoded === true && typeof body === 'string' ? fromBase64(body) : body;
  const content = empty ? answer(statusCode, undefined) : contentOf(decoded, true);
  const announced = /^\d{1,15}$/.test(lines.contentLength ?? '') ? Number(lines.contentLength) : undefined;
  return {
    ...content,
    status: statusCode,
    headers: lines.pairs,
    contentType: lines.contentType ?? content.contentType,
    announced: content.body === '' ? announced : undefined,
  };
}

function fromBase64(text) {
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(text) || text.length % 4 !== 0) {
    throw badResult("The function's body is not base64, though isBase64Encoded says so.");
  }
  return Buffer.from(text, 'base64');
}

/** A body and its type. A text is JSON where it is the whole result, itself where it is a body. */
function contentOf(value, isBody) {
  if (typeof value === 'string' && isBody) return answer(200, TEXT_TYPE, { body: value });
  if (isObject(value)) {
    const bytes = bytesOf(value);
    if (bytes) return answer(200, BYTES_TYPE, { body: bytes });
    if (isStream(value)) return answer(200, undefined, { source: value });
  }
  return answer(200, JSON_TYPE, { body: toJson(value) });
}

const isObject = (value) => typeof value === 'object' && value !== null;

/** A Buffer over the bytes of a typed array, DataView or ArrayBuffer; undefined for all else. */
function bytesOf(value) {
  if (Buffer.isBuffer(value)) return value;
  if (ArrayBuffer.isView(value)) return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  return value instanceof ArrayBuffer ? Buffer.from(value) : undefined;
}

/** Node's and the web's streams, asynchronous iterables, generators; not arrays, maps and sets. */
function isStream(value) {
  if (typeof value[Symbol.asyncIterator] === 'function') return true;
  return typeof value.next === 'function' && typeof value[Symbol.iterator] === 'function';
}

/** JSON of any value, undefined as null. Throws Refusal naming what cannot be written. */
function toJson(value) {
  let text;
  try {
    text = JSON.stringify(value === undefined ? null : value);
  } catch (error) {
    throw badResult(
      `The function's result cannot be written as JSON: ${String(error?.message).split('\n', 1)[0]}.`,
    );
  }
  if (text === undefined) {
    throw badResult(`The function's result cannot be written as JSON: it is a ${typeof value}.`);
  }
  // A Map, an Error or a Response would silently lose all that it holds.
  if (text === '{}' && ![Object.prototype, null].includes(Object.getPrototypeOf(value))) {
    const kind = value.constructor?.name ?? 'object';
    throw badResult(`The function's result cannot be written as JSON: a ${kind} has no fields of its own.`);
  }
  return text;
}

function readHeaders(headers) {
  const lines = { pairs: [], contentType: undefined, contentLength: undefined };
  if (headers === undefined || headers === null) return lines;
  if (!isObject(headers) || Array.isArray(headers)) {
    throw badResult(`The function's headers must be an object, not ${show(headers)}.`);
  }
  for (const [name, value] of headerEntries(headers)) {
    if (!NAME.test(name)) throw badResult(`The function's header name ${show(name)} is not a token.`);
    const key = name.toLowerCase();
    for (const item of Array.isArray(value) ? value : [value]) {
      const text = headerValue(name, item);
      if (key === 'content-type') lines.contentType = text;
      else if (key === 'content-length') lines.contentLength = text;
      else if (!OURS.has(key) && !key.startsWith(PLATFORM)) lines.pairs.push(name, text);
    }
  }
  return lines;
}

/** Of a plain object, or of a Headers or Map. */
function headerEntries(headers) {
  return typeof headers.entries === 'function' ? headers.entries() : Object.entries(headers);
}

function headerValue(name, value) {
  if (!['string', 'number', 'boolean'].includes(typeof value)) {
    throw badResult(
      `The function's header ${name} must be a text, not ${value === null ? 'null' : typeof value}.`,
    );
  }
  const text = String(value).trim();
  if (VALUE.test(text)) return text;
  throw badResult(
    `The function's header ${name} holds a line end, a control character or one outside Latin-1.`,
  );
}

function show(value) {
  const text = typeof value === 'string' ? JSON.stringify(value) : String(value);
  return text.slice(0, 60);
}

module.exports = { answerOf, answerOfRefusal, answer, toJson, bytesOf, isStream };
