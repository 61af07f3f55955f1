'use strict';
// Lines on stderr. Written synchronously: they must not be lost when the process ends right after.

const { writeSync } = require('node:fs');
const { dirname } = require('node:path');

// Frames of the runtime itself tell the author of a function nothing.
const OWN_FOLDER = dirname(__dirname);

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
    // inspect prints what Node itself would: causes, and where a SyntaxError is.
    const lines = require('node:util').inspect(error).split('\n');
    return lines.filter((line) => !line.includes(OWN_FOLDER)).join('\n');
  } catch {
    return 'an error that cannot be shown';
  }
}

module.exports = { say, sayError };
