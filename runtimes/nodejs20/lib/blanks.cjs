'use strict';
// What HTTP calls blanks: spaces and tabs, and nothing else that a language may count as such.

/** Without the blanks around it. By hand: a pattern for the end would look at every run of blanks on the way, again and again. */
function trimmed(text) {
  let start = 0;
  let end = text.length;
  while (start < end && isBlank(text.charCodeAt(start))) start += 1;
  while (end > start && isBlank(text.charCodeAt(end - 1))) end -= 1;
  return text.slice(start, end);
}

const isBlank = (code) => code === 0x20 || code === 0x09;

module.exports = { trimmed };
