'use strict';
// Finds and loads the function: `module.function`, the module anywhere in the function's folder.

const { existsSync, readFileSync, readdirSync, statSync } = require('node:fs');
const { dirname, extname, join } = require('node:path');

const SUFFIXES = ['.js', '.mjs', '.cjs', '/index.js', '/index.mjs', '/index.cjs'];

/** The entrypoint does not lead to a function; the message says what was looked for and what is there. */
class LoadError extends Error {}

/**
 * The function named by `entrypoint`, or a promise of it where its module can only be imported.
 * Throws (or rejects with) LoadError, or whatever the module itself throws.
 */
function loadFunction(folder, entrypoint) {
  const { path, name } = findModule(folder, entrypoint);
  process.chdir(folder);
  const loaded = loadModule(path, folder);
  const pick = (module) => pickFunction(module, name, `${entrypoint}: ${path}`);
  return loaded instanceof Promise ? loaded.then(pick) : pick(loaded);
}

function findModule(folder, entrypoint) {
  const dot = entrypoint.lastIndexOf('.');
  const module = entrypoint.slice(0, Math.max(dot, 0));
  const name = entrypoint.slice(dot + 1);
  const parts = module.split(/[./]/);
  if (!/^(?!\d)[\w$\u0080-\uffff]+$/.test(name) || parts.includes('')) {
    const expected = 'the entrypoint must be module.function, such as handler.handle';
    throw new LoadError(`${expected}, not '${entrypoint}'`);
  }
  const lookedFor = SUFFIXES.map((suffix) => parts.join('/') + suffix);
  const found = lookedFor.find((file) => statSync(join(folder, file), { throwIfNoEntry: false })?.isFile());
  if (found) return { path: join(folder, found), name };
  const there = readdirSync(folder)
    .filter((entry) => !entry.startsWith('.'))
    .sort()
    .slice(0, 20);
  throw new LoadError(
    `${entrypoint}: no ${lookedFor.join(' or ')} in ${folder}; it holds: ${there.join(', ') || 'nothing'}`,
  );
}

/** The module's exports, or a promise of them. */
function loadModule(path, folder) {
  const extension = extname(path);
  if (extension === '.mjs' || (extension === '.js' && packageType(path, folder) === 'module')) {
    return importModule(path);
  }
  try {
    return require(path);
  } catch (error) {
    // import/export in a .js without a package.json that says so: Node's own rule is to look at the syntax.
    if (extension === '.js' && isAboutModules(error)) return importModule(path);
    throw error;
  }
}

function importModule(path) {
  return import(require('node:url').pathToFileURL(path).href);
}

function isAboutModules(error) {
  if (error?.code === 'ERR_REQUIRE_ESM' || error?.code === 'ERR_REQUIRE_ASYNC_MODULE') return true;
  return (
    error instanceof SyntaxError && /import statement|import\.meta|'export'|await is only/.test(error.message)
  );
}

/** `type` of the nearest package.json from the module's folder up to the function's. */
function packageType(path, folder) {
  for (let at = dirname(path); at.length >= folder.length; at = dirname(at)) {
    const file = join(at, 'package.json');
    if (existsSync(file)) return JSON.parse(readFileSync(file, 'utf8')).type;
  }
  return undefined;
}

function pickFunction(module, name, where) {
  const places = [module, module?.default];
  const place = places.find((one) => one?.[name] !== undefined);
  const found = place?.[name];
  // A method of an exported object finds its own fields.
  if (typeof found === 'function') return found.bind(place);
  const names = places.flatMap((one) =>
    Object.keys(one ?? {}).filter((key) => typeof one[key] === 'function'),
  );
  const has = found === undefined ? `exports no ${name}` : `exports a ${name} that is no function`;
  throw new LoadError(`${where} ${has}; its functions are: ${[...new Set(names)].join(', ') || 'none'}`);
}

module.exports = { loadFunction, LoadError };
