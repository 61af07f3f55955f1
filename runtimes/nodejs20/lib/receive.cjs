'use strict';
// Checks what Node's parser lets through, and collects bodies.

const { badRequest, Refusal, tooLarge } = require('./refusal.cjs');

const NO_BODY = Buffer.alloc(0);

/** {method, target, headers} of a request, the target in origin form. Throws Refusal. */
function readHead(req) {
  const { headers, httpVersion } = req;
  if (httpVersion !== '1.1' && httpVersion !== '1.0') {
    throw new Refusal(505, 'InvalidRequest', 'This server speaks HTTP/1.1.');
  }
  const coding = headers['transfer-encoding'];
  if (coding !== undefined) {
    if (httpVersion === '1.0') throw badRequest('The header transfer-encoding cannot stand in HTTP/1.0.');
    if (coding.toLowerCase() !== 'chunked') {
      throw new Refusal(501, 'NotImplemented', 'The only transfer-encoding here is chunked.');
    }
  }
  checkHost(req);
  if (/^websocket/i.test(headers.upgrade ?? '')) {
    const message = 'This runtime answers requests; it does not speak WebSocket.';
    throw new Refusal(426, 'UpgradeRequired', message, ['Upgrade', 'HTTP/1.1']);
  }
  return { method: req.method, target: targetOf(req), headers };
}

function checkHost({ rawHeaders, httpVersion }) {
  let hosts = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i];
    if (name.length === 4 && name.toLowerCase() === 'host') hosts += 1;
  }
  if (hosts > 1) throw badRequest('The header host is repeated.');
  if (hosts === 0 && httpVersion !== '1.0') throw badRequest('The header host is missing.');
}

function targetOf({ method, url }) {
  if (url.charCodeAt(0) === 0x2f) return url;
  if (method === 'OPTIONS' && url === '*') return url;
  const absolute = /^https?:\/\/[^/?#@]+((?:[/?].*)?)$/i.exec(url);
  if (!absolute) throw badRequest('The target must begin with a slash.');
  return absolute[1].startsWith('/') ? absolute[1] : `/${absolute[1]}`;
}

/** Whether a body follows the head. */
function hasBody({ headers }) {
  const length = headers['content-length'];
  return headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0');
}

/** Calls `done` with a Refusal or null, and the body. Not at all when the caller has gone. */
function readBody(req, limit, done) {
  if (!hasBody(req)) return done(null, NO_BODY);
  if (Number(req.headers['content-length'] ?? 0) > limit) return done(tooLarge(limit), NO_BODY);
  const chunks = [];
  let size = 0;
  const onData = (chunk) => {
    chunks.push(chunk);
    size += chunk.length;
    if (size <= limit) return;
    req.off('data', onData);
    req.off('end', onEnd);
    done(tooLarge(limit), NO_BODY);
  };
  const onEnd = () => done(null, chunks.length === 1 ? chunks[0] : Buffer.concat(chunks, size));
  req.on('data', onData);
  req.on('end', onEnd);
  req.on('error', () => {});
}

module.exports = { readHead, readBody };
