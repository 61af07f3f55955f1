'use strict';
// Everything that the runtime itself answers instead of the function.

/** A request, or a result, that cannot be accepted. The message is for the caller; `headers` is a flat list. */
class Refusal extends Error {
  constructor(status, code, message, headers = []) {
    super(message);
    this.status = status;
    this.code = code;
    this.headers = headers;
  }

  body() {
    return JSON.stringify({ error: this.message, code: this.code });
  }
}

const badRequest = (message) => new Refusal(400, 'InvalidRequest', message);

/** The function returned something that cannot be sent. */
const badResult = (message) => new Refusal(500, 'FunctionError', message);

let log = 'its log';

/** Names the file of the log, where callers can open it: on the machine of whoever wrote the function. */
function nameLog(path) {
  log = `its log (${path})`;
}

/** What a caller is told of an error: nothing but where to look. */
const failed = (requestId) =>
  new Refusal(500, 'FunctionError', `The function failed; ${log} says why. Request ${requestId}.`);

const timedOut = (seconds) =>
  new Refusal(
    504,
    'FunctionTimeout',
    `The function did not answer in time: ${seconds} s, or what the caller left it.`,
  );

/** Not begun with. The header tells the platform so; a function's own 429 is an answer, and cannot carry it. */
const busy = (concurrency) =>
  new Refusal(429, 'TooManyRequests', `The function is busy with ${concurrency} calls, its limit.`, [
    'Retry-After',
    '1',
    'X-Sless-Busy',
    '1',
  ]);

const tooLarge = (limit) => new Refusal(413, 'PayloadTooLarge', `The body is larger than ${limit} bytes.`);

module.exports = { Refusal, badRequest, badResult, failed, nameLog, timedOut, busy, tooLarge };
