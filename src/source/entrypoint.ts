import { SlessError } from '../errors.ts';
import type { Runtime } from '../runtimes/catalogue.ts';
import { showName } from './archive-error.ts';

/** What is shown of a zip's content when the entrypoint is not in it. */
const MAX_LISTED = 20;

/** The files, in the order they are tried, that may hold `module.function`; the module may lie in folders (`.` or `/`). */
export function entrypointFiles(entrypoint: string, runtime: Pick<Runtime, 'moduleSuffixes'>): string[] {
  const module = entrypoint.slice(0, Math.max(0, entrypoint.lastIndexOf('.'))).replaceAll('.', '/');
  return module === '' ? [] : runtime.moduleSuffixes.map((suffix) => `${module}${suffix}`);
}

export interface EntrypointSearch {
  readonly entrypoint: string;
  readonly runtime: Pick<Runtime, 'moduleSuffixes' | 'title'>;
  /** The single folder that was stripped from all names, where there was one. */
  readonly stripped: string | undefined;
}

/** @returns the error of an entrypoint that is not among `paths`: what was looked for, and what was found. */
export function entrypointNotFound(search: EntrypointSearch, paths: readonly string[]): SlessError {
  const wanted = entrypointFiles(search.entrypoint, search.runtime).map(showName);
  const looked = wanted.length === 0 ? 'nothing: an entrypoint is module.function' : wanted.join(' or ');
  const from = search.stripped === undefined ? '' : ` inside the folder ${showName(search.stripped)}`;
  return new SlessError(
    'EntrypointNotFound',
    `entrypoint ${showName(search.entrypoint)} (${search.runtime.title}): looked for ${looked}; ` +
      `found ${listTopLevel(paths)}${from}`,
  );
}

function listTopLevel(paths: readonly string[]): string {
  const names = new Set(paths.map((path) => (path.includes('/') ? `${path.split('/')[0]}/` : path)));
  const shown = [...names].slice(0, MAX_LISTED).map(showName);
  const more = names.size - shown.length;
  return `${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
