'use strict';
// The environment, read once and checked as a whole.

const { statSync } = require('node:fs');
const { resolve } = require('node:path');

/**
 * Settings from an environment. Times are in seconds, sizes in bytes.
 * Throws an Error with one line for each mistake.
 */
function readSettings(env) {
  const mistakes = [];
  const number = (name, fallback, [low, high]) => {
    const text = env[name] || String(fallback);
    const value = /^\d{1,11}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= low && value <= high) return value;
    mistakes.push(`${name} must be a whole number from ${low} to ${high}, not '${text}'`);
    return low;
  };
  const settings = {
    host: env.SLESS_HOST || undefined,
    port: number('PORT', 8080, [0, 65535]),
    folder: resolve(env.SLESS_FUNCTION_DIR || '/app/function'),
    entrypoint: env.SLESS_ENTRYPOINT || 'handler.handle',
    timeout: number('SLESS_TIMEOUT_SECONDS', 60, [1, 86400]),
    concurrency: number('SLESS_CONCURRENCY', 100, [1, 1000]),
    grace: number('SLESS_GRACE_SECONDS', 25, [0, 3600]),
    maxBody: number('SLESS_MAX_BODY_BYTES', 128 * 1024 * 1024, [0, 2 ** 31]),
    function: env.SLESS_FUNCTION || '',
    namespace: env.SLESS_NAMESPACE || '',
    eventFile: env.SLESS_EVENT_FILE || undefined,
    logFile: env.SLESS_LOG_FILE || undefined,
    resultFile: env.SLESS_RESULT_FILE || '/dev/termination-log',
  };
  if (!statSync(settings.folder, { throwIfNoEntry: false })?.isDirectory()) {
    mistakes.push(`SLESS_FUNCTION_DIR must be a folder, and ${settings.folder} is not`);
  }
  if (mistakes.length > 0) throw new Error(mistakes.join('\n'));
  return settings;
}

module.exports = { readSettings };
