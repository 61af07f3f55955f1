'use strict';
// Lines on stderr. Written synchronously: they must not be lost when the process ends right after.

const { writeSync } = require('node:fs');

function say(message) {
  try {
    writeSync(2, `sless: ${message}\n`);
  } catch {
    // EAGAIN, when whoever reads our output does not keep up: better to lose a line than to fail a call.
  }
}

/** `message`, then the error with its stack. */
function sayError(message, error) {
  say(`${message}\n${describe(error)}`);
}

function describe(error) {
  try {
    // A SyntaxError's stack alone does not say where; inspect adds what Node itself would print.
    return require('node:util').inspect(error);
  } catch {
    return 'an error that cannot be shown';
  }
}

module.exports = { say, sayError };
