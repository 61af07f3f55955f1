import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Whether a file of the build context, by its path in it, is kept out of the image. */
export type Ignore = (path: string) => boolean;

/** The rules beside a Dockerfile (`<Dockerfile>.dockerignore`), or those of its context. */
export function readIgnore(dockerfile: string, context: string): Ignore {
  const file = [`${dockerfile}.dockerignore`, join(context, '.dockerignore')].find((path) =>
    existsSync(path),
  );
  return file === undefined ? () => false : parseIgnore(readFileSync(file, 'utf8'));
}

/** The last rule that matches a path or one of its folders decides; `!` takes back in. */
export function parseIgnore(text: string): Ignore {
  const rules = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => ({ keep: line.startsWith('!'), pattern: expressionOf(line.replace(/^!/, '')) }));
  return (path) => {
    const prefixes = path.split('/').map((_, index, all) => all.slice(0, index + 1).join('/'));
    const matches = (pattern: RegExp) => prefixes.some((prefix) => pattern.test(prefix));
    const last = rules.findLast(({ pattern }) => matches(pattern));
    return last !== undefined && !last.keep;
  };
}

/** Docker's patterns, in which a star stands for names with a leading dot too (`node:path` means something else by it). */
function expressionOf(pattern: string): RegExp {
  const source = pattern
    .replace(/[.+^${}()|[\]\\]/g, '\\$&')
    .replace(/\*\*\/|\*\*|\*|\?/g, (found) => PARTS[found] ?? found);
  return new RegExp(`^${source}$`);
}

const PARTS: Readonly<Record<string, string>> = { '**/': '(?:.*/)?', '**': '.*', '*': '[^/]*', '?': '[^/]' };
