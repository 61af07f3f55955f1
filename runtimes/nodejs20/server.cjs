'use strict';
// The Node.js runtime of sless: serves one function over HTTP, or runs it once. See README.md.
// CommonJS, because starting through the ES module loader takes 5 to 25 ms more.

const { say, sayError } = require('./lib/log.cjs');
const { nameLog } = require('./lib/refusal.cjs');
const { readSettings } = require('./lib/settings.cjs');
const { loadFunction, LoadError } = require('./lib/load.cjs');

// As process 1 of a container nothing ends us but handlers that we install.
const endEarly = (_, number) => process.exit(128 + number);
process.on('SIGTERM', endEarly);
process.on('SIGINT', endEarly);

main();

async function main() {
  const settings = settingsOrEnd();
  if (settings.logFile) nameLog(settings.logFile);
  const handler = await handlerOrEnd(settings);
  process.off('SIGTERM', endEarly);
  process.off('SIGINT', endEarly);
  if (settings.eventFile) require('./lib/once.cjs').runOnce(handler, settings);
  else require('./lib/serving.cjs').serve(handler, settings);
}

function settingsOrEnd() {
  try {
    return readSettings(process.env);
  } catch (error) {
    say(`the settings are wrong:\n${error.message}`);
    process.exit(2);
  }
}

async function handlerOrEnd(settings) {
  try {
    // Awaited only where it must be: a CommonJS function is there at once.
    const loaded = loadFunction(settings.folder, settings.entrypoint);
    return typeof loaded === 'function' ? loaded : await loaded;
  } catch (error) {
    if (error instanceof LoadError) say(error.message);
    else sayError(`${settings.entrypoint} does not load`, error);
    process.exit(1);
  }
}
