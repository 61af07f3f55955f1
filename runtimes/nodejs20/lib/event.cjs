'use strict';
// The event of a request: JSON, a form's fields, the query's fields, or the body as it is.

const { isUtf8 } = require('node:buffer');
const { trimmed } = require('./blanks.cjs');
const { badRequest } = require('./refusal.cjs');

/**
 * What the function receives. `query` is the query's fields.
 * Throws Refusal for a body that is not what it says.
 */
function eventOf(headers, query, body) {
  if (body.length === 0) return query;
  const contentType = headers['content-type'];
  if (contentType === 'application/json') return parseJson(body);
  if ((headers['content-encoding'] ?? 'identity') !== 'identity') return body;
  const media = trimmed((contentType ?? '').split(';', 1)[0]).toLowerCase();
  if (media === '') return jsonOrRaw(body);
  if (media.endsWith('/json') || media.endsWith('+json')) return parseJson(body);
  if (media === 'application/x-www-form-urlencoded') return parseForm(body);
  const forms = require('./forms.cjs');
  if (media === 'multipart/form-data') return forms.parseMultipart(body, contentType);
  return forms.textOrBytes(body);
}

/** Any JSON value. Throws Refusal saying where it breaks off. */
function parseJson(body) {
  if (!isUtf8(body)) throw badRequest('The body is typed as JSON and is not UTF-8.');
  try {
    return JSON.parse(textOf(body));
  } catch (error) {
    throw badRequest(`The body is not JSON: ${error.message}.`);
  }
}

function jsonOrRaw(body) {
  if (!isUtf8(body)) return body;
  try {
    return JSON.parse(textOf(body));
  } catch {
    return body.toString('utf8');
  }
}

/** Without the byte order mark, which some editors leave and JSON.parse refuses. */
function textOf(body) {
  const text = body.toString('utf8');
  return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
}

function parseForm(body) {
  const text = body.toString('utf8');
  // curl -d types everything as a form; a real one never begins so, its encoders write %7B and %5B.
  return /^\s*[{[]/.test(text) ? parseJson(body) : require('./forms.cjs').parseFields(text);
}

module.exports = { eventOf, parseJson };
