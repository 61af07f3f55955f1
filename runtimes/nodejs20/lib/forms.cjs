'use strict';
// Fields of a query string, of a form, and of a multipart form. A field that comes twice becomes a list.

const { isUtf8 } = require('node:buffer');
const { trimmed } = require('./blanks.cjs');
const { badRequest } = require('./refusal.cjs');

// Each field costs about 300 bytes of memory, whatever it took to send it.
const MAX_FIELDS = 10_000;

// Blanks are those of HTTP, in every language: what else counts as one differs between them.
const PARAMETER = /;[ \t]*([!#$%&'*+\-.^_`|~0-9A-Za-z]+)[ \t]*=[ \t]*("(?:[^"\\]|\\.)*"|[^ \t\r\n;"]*)/gs;

/** The fields in `a=1&b=2`. Throws Refusal when there are too many. */
function parseFields(text) {
  const fields = new Fields();
  let at = 0;
  while (at <= text.length) {
    const next = text.indexOf('&', at);
    const end = next === -1 ? text.length : next;
    if (end > at) fields.addPair(text.slice(at, end));
    at = end + 1;
  }
  return fields.toObject();
}

class Fields {
  #values = new Map();
  #count = 0;

  addPair(pair) {
    const equals = pair.indexOf('=');
    const name = equals === -1 ? pair : pair.slice(0, equals);
    this.add(decode(name), equals === -1 ? '' : decode(pair.slice(equals + 1)));
  }

  add(name, value) {
    this.#count += 1;
    if (this.#count > MAX_FIELDS) throw badRequest(`There are more than ${MAX_FIELDS} fields.`);
    const known = this.#values.get(name);
    if (known === undefined) this.#values.set(name, value);
    else if (Array.isArray(known)) known.push(value);
    else this.#values.set(name, [known, value]);
  }

  /** An ordinary object in which `__proto__` is a field like any other. */
  toObject() {
    return Object.fromEntries(this.#values);
  }
}

const ESCAPES = /(?:%[0-9A-Fa-f]{2})+/g;

function decode(text) {
  const spaced = text.includes('+') ? text.replaceAll('+', ' ') : text;
  if (!spaced.includes('%')) return spaced;
  try {
    return decodeURIComponent(spaced);
  } catch {
    // A `%` that begins no escape stands for itself, and so does every other letter around what cannot be read.
    return spaced.replace(ESCAPES, (run) => Buffer.from(run.replaceAll('%', ''), 'hex').toString('utf8'));
  }
}

/**
 * The fields and files of multipart/form-data (RFC 7578). A field is text, or a Buffer when it is not UTF-8;
 * a file is {filename, contentType, content}. Throws Refusal when it is malformed.
 */
function parseMultipart(body, contentType) {
  const boundary = parameters(contentType).get('boundary') ?? '';
  if (boundary.length === 0 || boundary.length > 200) {
    throw badRequest('The content-type multipart/form-data names no boundary.');
  }
  const mark = Buffer.from(`\r\n--${boundary}`, 'latin1');
  const fields = new Fields();
  // The first mark has no line end before it when it is the very beginning.
  let at = body.subarray(0, mark.length - 2).equals(mark.subarray(2))
    ? mark.length - 2
    : after(body, mark, 0);
  while (body.toString('latin1', at, at + 2) !== '--') {
    const next = after(body, mark, at);
    fields.add(...readPart(body.subarray(at, next - mark.length)));
    at = next;
  }
  return fields.toObject();
}

function after(body, mark, from) {
  const found = body.indexOf(mark, from);
  if (found === -1) throw badRequest('The multipart body does not end with its boundary.');
  return found + mark.length;
}

function readPart(part) {
  const lineEnd = part.indexOf('\r\n');
  if (lineEnd === -1 || trimmed(part.toString('latin1', 0, lineEnd)) !== '') {
    throw badRequest('A part of the multipart body does not begin after its boundary.');
  }
  const headEnd = part.indexOf('\r\n\r\n', lineEnd);
  const headers = readPartHeaders(part.toString('utf8', lineEnd, Math.max(headEnd, lineEnd)));
  const disposition = headers.get('content-disposition') ?? '';
  const named = parameters(disposition);
  if (headEnd === -1 || !/^form-data[ \t]*(;|$)/i.test(disposition) || !named.has('name')) {
    throw badRequest('A part of the multipart body has no name.');
  }
  const content = part.subarray(headEnd + 4);
  if (!named.has('filename')) return [named.get('name'), textOrBytes(content)];
  const contentType = headers.get('content-type') ?? 'application/octet-stream';
  return [named.get('name'), { filename: named.get('filename'), contentType, content }];
}

function readPartHeaders(text) {
  const lines = text.split('\r\n').map((line) => {
    const colon = line.indexOf(':');
    return [trimmed(line.slice(0, Math.max(colon, 0))).toLowerCase(), trimmed(line.slice(colon + 1))];
  });
  return new Map(lines);
}

/** The parameters of a header such as `form-data; name="a"`, by lower-case name. */
function parameters(value) {
  return new Map([...value.matchAll(PARAMETER)].map(([, name, text]) => [name.toLowerCase(), unquote(text)]));
}

function unquote(text) {
  if (!text.startsWith('"')) return text;
  // Browsers write quotes and line ends in names so (HTML, multipart/form-data encoding algorithm).
  const inner = text.slice(1, -1).replaceAll('%22', '"').replaceAll('%0D', '\r').replaceAll('%0A', '\n');
  return inner.replace(/\\(["\\])/g, '$1');
}

function textOrBytes(content) {
  return isUtf8(content) ? content.toString('utf8') : content;
}

module.exports = { parseFields, parseMultipart, textOrBytes };
