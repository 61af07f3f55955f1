import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import type { Runtime } from '../../src/runtimes/catalogue.ts';
import { searchPath, substitute } from './server.ts';

const loadSchema = z.strictObject({
  folder: z.string(),
  entrypoint: z.string(),
  env: z.record(z.string(), z.string()).default({}),
});

const casesSchema = z.strictObject({
  loads: z.array(loadSchema),
  refuses: z.array(loadSchema.extend({ says: z.array(z.string()).min(1) })),
  installs: z.array(loadSchema.extend({ needs: z.array(z.string()).min(1) })),
});

/** What a language alone says of itself: see fixtures/README.md. */
export type Cases = z.infer<typeof casesSchema>;

/** A runtime under test with its fixtures, copied to where no package.json or the like of ours is above them. */
export interface Subject {
  readonly runtime: Runtime;
  readonly cases: Cases;
  /** The path of a fixture's folder. */
  folder(name: string): string;
  /** A path at which nothing lies yet. */
  freshPath(): string;
  remove(): void;
}

export function prepareSubject(runtime: Runtime, fixtures: string): Subject {
  const own = join(fixtures, runtime.name);
  if (!existsSync(own)) throw new Error(`no fixtures for ${runtime.name} in ${fixtures}`);
  const temporary = mkdtempSync(join(tmpdir(), 'sless-runtime-'));
  cpSync(own, temporary, { recursive: true });
  let paths = 0;
  return {
    runtime,
    cases: casesSchema.parse(JSON.parse(readFileSync(join(own, 'cases.json'), 'utf8'))),
    folder: (name) => join(temporary, name),
    freshPath: () => join(temporary, `path-${paths++}`),
    remove: () => rmSync(temporary, { recursive: true, force: true }),
  };
}

/** Why something cannot be run here, or undefined. */
export function missing(argv: readonly string[]): string | undefined {
  const [program = '', ...args] = substitute(argv);
  const { error, status } = spawnSync(program, args, { env: { PATH: searchPath() }, stdio: 'ignore' });
  if (error) return error.message;
  return status === 0 ? undefined : `${argv.join(' ')} answers ${status}`;
}
