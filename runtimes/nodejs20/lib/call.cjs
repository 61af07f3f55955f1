'use strict';
// One run of the function, and how many may run at once.

const { answerOf, answerOfRefusal } = require('./answer.cjs');
const { failed, Refusal } = require('./refusal.cjs');
const { say, sayError } = require('./log.cjs');

/** Counts the calls that run. A promise cannot be ended from outside: a call holds its slot until it settles. */
class Slots {
  constructor(limit) {
    this.limit = limit;
    this.running = 0;
    this.overdue = 0;
  }

  /** Whether every slot is held by a call past its limit: nothing can be served. */
  areStuck() {
    return this.overdue >= this.limit;
  }
}

/** The Answer to a call; an error is logged and becomes one. A promise only where the function gives one. */
function run(handler, event, context) {
  try {
    const result = handler(event, context);
    if (typeof result?.then !== 'function') return answerOf(result);
    return Promise.resolve(result)
      .then(answerOf)
      .catch((error) => answerOfError(error, context.requestId));
  } catch (error) {
    return answerOfError(error, context.requestId);
  }
}

function answerOfError(error, requestId) {
  if (error instanceof Refusal) {
    say(`request ${requestId}: ${error.message}`);
    return answerOfRefusal(error);
  }
  sayError(`request ${requestId} failed`, error);
  return answerOfRefusal(failed(requestId));
}

module.exports = { Slots, run, answerOfError };
