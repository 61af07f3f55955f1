import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { parse, stringify } from 'yaml';
import { z } from 'zod';
import { CliFailure, EXIT } from './failure.ts';

/** The file that says what a folder is deployed as. */
export const PROJECT_FILE = 'sless.yaml';
const TEMPLATES = join(import.meta.dirname, 'templates');

/** The api checks every value; here only what makes a misspelt name visible. */
const projectSchema = z.strictObject({
  name: z.string(),
  runtime: z.string(),
  entrypoint: z.string().optional(),
  env: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]).transform(String)).optional(),
  secrets: z.array(z.string()).optional(),
  replicas: z.int().optional(),
  resources: z.looseObject({}).optional(),
  timeout_seconds: z.int().optional(),
  concurrency: z.int().optional(),
  build: z.string().optional(),
  build_timeout_seconds: z.int().optional(),
  /** Whether `deploy` makes the function reachable by HTTP. */
  http: z.boolean().default(true),
});

export type Project = z.output<typeof projectSchema>;

/** The runtimes that there are templates of. */
export function templateNames(): string[] {
  return readdirSync(TEMPLATES).sort();
}

/** What `sless.yaml` says; `undefined` where there is none. */
export function readProject(folder: string): Project | undefined {
  const path = join(folder, PROJECT_FILE);
  if (!existsSync(path)) return undefined;
  let given: unknown;
  try {
    given = parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new CliFailure(`${path} is no YAML: ${(error as Error).message.split('\n', 1)[0]}`, EXIT.usage, {
      cause: error,
    });
  }
  const read = projectSchema.safeParse(given);
  if (read.success) return read.data;
  const mistakes = read.error.issues.map(
    ({ path: at, message }) => `\n  ${at.join('.') || 'the file'}: ${message}`,
  );
  throw new CliFailure(`${path} cannot be used:${mistakes.join('')}`, EXIT.usage);
}

/** Makes a function from a template, in a folder that is new or empty. @returns the folder's path */
export function initProject(
  cwd: string,
  given: { folder: string; name?: string | undefined; runtime: string },
): string {
  const folder = resolve(cwd, given.folder);
  if (!templateNames().includes(given.runtime))
    throw new CliFailure(
      `there is no template for ${JSON.stringify(given.runtime)}; there are ${templateNames().join(', ')}`,
      EXIT.usage,
    );
  if (existsSync(folder) && readdirSync(folder).some((name) => !name.startsWith('.')))
    throw new CliFailure(`${given.folder} is not empty; choose another folder`, EXIT.usage);
  mkdirSync(folder, { recursive: true });
  cpSync(join(TEMPLATES, given.runtime), folder, { recursive: true });
  const name = given.name ?? nameFrom(basename(folder));
  writeFileSync(join(folder, PROJECT_FILE), stringify({ name, runtime: given.runtime }));
  return folder;
}

/** The folder's name as a function may be called: DNS-1035, at most 40 characters. */
export function nameFrom(folder: string): string {
  const name = folder
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^[^a-z]+/, '')
    .slice(0, 40)
    .replace(/-+$/, '');
  return name || 'function';
}
