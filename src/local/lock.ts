import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { link, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { z } from 'zod';
import { readIfThere } from './file.ts';
import { processIdentity } from './process/identity.ts';

const holderSchema = z.object({ pid: z.int().positive(), identity: z.string() });

/** Held by one process at a time; the next start takes it from one that ended without giving it back. */
export interface Lock {
  release(): void;
}

/** Another process holds the lock. */
export class AlreadyRunning extends Error {
  readonly pid: number;

  constructor(pid: number) {
    super(`already running with pid ${pid}`);
    this.pid = pid;
  }
}

/** How often two starts may get in each other's way. */
const TRIES = 10;

/**
 * Takes the lock at `path` for this process. A file that appears by `link` is there whole or not at all, and exactly one of
 * several processes succeeds.
 *
 * @throws AlreadyRunning
 */
export async function takeLock(path: string): Promise<Lock> {
  const own = `${path}.${randomUUID()}`;
  const identity = (await processIdentity(process.pid)) ?? '';
  await writeFile(own, JSON.stringify({ pid: process.pid, identity }), { mode: 0o600 });
  try {
    for (let attempt = 0; attempt < TRIES; attempt++) {
      if (await linked(own, path)) return { release: () => rmSync(path, { force: true }) };
      await removeStale(path, `${path}.stale.${randomUUID()}`);
    }
  } finally {
    await rm(own, { force: true });
  }
  throw new Error(`the lock ${path} could not be taken`);
}

async function linked(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
}

async function removeStale(path: string, aside: string): Promise<void> {
  const text = await readIfThere(path);
  if (text === undefined) return;
  await refuseIfRunning(text);
  await rename(path, aside).catch(() => {});
  const moved = await readIfThere(aside);
  if (moved !== undefined && moved !== text) {
    // Between the look and the move another start has taken the lock: it is given back.
    await link(aside, path).catch(() => {});
  }
  await rm(aside, { force: true });
}

async function refuseIfRunning(text: string): Promise<void> {
  const holder = holderSchema.safeParse(parse(text)).data;
  if (holder !== undefined && (await processIdentity(holder.pid)) === holder.identity) {
    throw new AlreadyRunning(holder.pid);
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The pid of the process that holds the lock now, if one does. */
export async function lockHolder(path: string): Promise<number | undefined> {
  try {
    await refuseIfRunning(await readFile(path, 'utf8'));
    return undefined;
  } catch (error) {
    return error instanceof AlreadyRunning ? error.pid : undefined;
  }
}
