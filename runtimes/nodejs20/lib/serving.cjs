'use strict';
// The server: from a request to the function and back, time limits, the end of the process.

const http = require('node:http');
const { answer, answerOfRefusal } = require('./answer.cjs');
const { answerOfError, run, Slots } = require('./call.cjs');
const { contextOf } = require('./context.cjs');
const { eventOf } = require('./event.cjs');
const { say } = require('./log.cjs');
const { readBody, readHead } = require('./receive.cjs');
const { busy, Refusal, timedOut } = require('./refusal.cjs');
const { closePieces, send, sendAndClose, sendPieces } = require('./send.cjs');
const { Pieces } = require('./pieces.cjs');
const { ending } = require('./ending.cjs');
const { refuseBrokenRequests } = require('./broken.cjs');

const LIMITS = {
  maxHeaderSize: 64 * 1024,
  // Longer than the proxy and load balancers keep theirs, so that it is never us who close under a new request.
  keepAliveTimeout: 75_000,
  headersTimeout: 15_000,
  requestTimeout: 300_000,
  connectionsCheckingInterval: 1_000,
  // Checked in receive.cjs, where the answer can say so.
  requireHostHeader: false,
};

function serve(handler, settings) {
  const server = http.createServer(LIMITS);
  server.maxHeadersCount = 0;
  // A caller may end its sending half and still wait for the answer.
  server.httpAllowHalfOpen = true;
  const slots = new Slots(settings.concurrency);
  const state = { handler, settings, slots, end: ending(server, settings.grace) };
  server.on('request', (req, res) => receive(state, req, res));
  server.on('checkContinue', (req, res) => receive(state, req, res, true));
  server.on('checkExpectation', (_req, res) => {
    sendAndClose(
      res,
      new Refusal(417, 'InvalidRequest', 'The only expectation that can be met is 100-continue.'),
    );
  });
  refuseBrokenRequests(server);
  server.on('error', (error) => {
    say(`cannot listen on port ${settings.port}: ${error.message}`);
    process.exit(1);
  });
  server.listen({ port: settings.port, host: settings.host, backlog: 1024 }, () => {
    say(`${settings.entrypoint} is ready on port ${server.address().port}`);
  });
}

function receive(state, req, res, expectsContinue = false) {
  const refuse = (refusal) => sendAndClose(res, refusal);
  let request;
  try {
    request = readHead(req);
  } catch (refusal) {
    return refuse(refusal);
  }
  const { maxBody } = state.settings;
  if (expectsContinue && !(Number(req.headers['content-length']) > maxBody)) res.writeContinue();
  readBody(req, maxBody, (refusal, body) => {
    if (refusal) refuse(refusal);
    else if (request.target.startsWith('/_sless/'))
      send(res, platformAnswer(state, request.target), state.end.draining);
    else answerRequest(state, { request, body, res });
  });
}

function platformAnswer({ slots, end }, target) {
  if (target.split('?', 1)[0] !== '/_sless/health') {
    return answerOfRefusal(new Refusal(404, 'NotFound', "There is nothing of the platform's at this path."));
  }
  const unavailable = (message) => answerOfRefusal(new Refusal(503, 'Unavailable', message));
  if (end.draining) return unavailable('The function is ending.');
  if (slots.areStuck()) {
    return unavailable('Every call that may run at once has passed its time limit and does not end.');
  }
  return answer(200, 'application/json', { body: '{"status":"ok"}' });
}

function answerRequest(state, { request, body, res }) {
  const { slots, settings, end } = state;
  if (slots.running >= slots.limit) return send(res, answerOfRefusal(busy(slots.limit)), end.draining);
  let context;
  let event;
  try {
    context = contextOf(request, body, settings);
    event = eventOf(request.headers, context.query, body);
    if (context.deadline <= Date.now()) throw timedOut(settings.timeout);
  } catch (refusal) {
    return send(res, answerOfRefusal(refusal), end.draining);
  }
  slots.running += 1;
  const answered = run(state.handler, event, context);
  if (!(answered instanceof Promise) && answered.source === undefined) {
    slots.running -= 1;
    return send(res, answered, end.draining);
  }
  finishLater(state, { answered, context, res });
}

/** For what is not there at once: promises, under the time limit, and streams. */
async function finishLater({ slots, settings, end }, { answered, context, res }) {
  const { requestId } = context;
  let overdue = false;
  let pieces;
  const timer = setTimeout(() => {
    overdue = true;
    slots.overdue += 1;
    say(`request ${requestId} is past its time limit`);
    send(res, answerOfRefusal(timedOut(settings.timeout)), true);
    if (pieces) closePieces(pieces, requestId);
  }, context.deadline - Date.now());
  let result = await answered;
  let first;
  if (result.source !== undefined) {
    pieces = new Pieces(result.source);
    try {
      first = overdue ? undefined : await pieces.next();
    } catch (error) {
      closePieces(pieces, requestId);
      result = answerOfError(error, requestId);
    }
  }
  clearTimeout(timer);
  if (overdue) {
    slots.overdue -= 1;
    say(`request ${requestId} has ended, after its time limit`);
    if (pieces) closePieces(pieces, requestId);
  } else if (result.source !== undefined) {
    const options = { requestId, close: end.draining, silenceMs: settings.timeout * 1000 };
    await sendPieces(res, { pieces, first, answer: result }, options);
  } else {
    send(res, result, end.draining);
  }
  slots.running -= 1;
}

module.exports = { serve };
