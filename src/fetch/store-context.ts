import { createReadStream, createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { isSlessError } from '../errors.ts';
import { readContext } from '../source/context-reader.ts';
import { layerFromContext } from '../source/layer.ts';
import { DiskError } from './refusal.ts';
import { transportError } from './request.ts';

/** As an image layer, or as the build context that it is. */
export const FORMATS = ['layer', 'context'] as const;
export type Format = (typeof FORMATS)[number];

/** Where the context goes. */
export interface Destination {
  readonly format: Format;
  /** The next step's; it appears whole or not at all. */
  readonly file: string;
}

/**
 * Verifies a context and writes it. What is wrong with the code is told apart from a body that broke off.
 *
 * @throws SlessError `InvalidArchive`, `Unavailable` (from the way here), a DiskError
 */
export async function storeContext(body: Readable, { format, file }: Destination): Promise<void> {
  const part = `${file}.part`;
  await onDisk(() => rm(part, { force: true }));
  await (format === 'layer' ? writeLayer(body, part) : writeVerified(body, part));
  await onDisk(() => rename(part, file));
}

/** Fast rather than small: the layer is pushed to a registry nearby, and nobody compresses it again. */
const LEVEL = 1;

async function writeLayer(body: Readable, part: string): Promise<void> {
  await flow(() =>
    pipeline(layerFromContext(body), createGzip({ level: LEVEL }), createWriteStream(part, CREATE_ONLY)),
  );
}

async function writeVerified(body: Readable, part: string): Promise<void> {
  await flow(() => pipeline(body, createWriteStream(part, CREATE_ONLY)));
  for await (const { content } of readContext(createReadStream(part))) {
    for await (const _piece of content);
  }
}

/** Nobody's link is followed and nothing is replaced. The next step runs as another user, maybe. */
const CREATE_ONLY = { flags: 'wx', mode: 0o644 } as const;

/** Translates what comes from the file and what comes from the way here; the rest is about the context itself. */
async function flow(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (isSlessError(error)) throw error;
    throw isDiskError(error) ? diskError(error) : transportError(error);
  }
}

async function onDisk(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    throw diskError(error);
  }
}

/** A socket that is only read from fails in none of these. */
const FILE_CALLS: ReadonlySet<unknown> = new Set(['open', 'write', 'close']);

const isDiskError = (error: unknown): boolean =>
  error instanceof Error && 'syscall' in error && FILE_CALLS.has(error.syscall);

function diskError(cause: unknown): DiskError {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown';
  return new DiskError('Unavailable', `the context cannot be written to the build's volume (${code})`, {
    cause,
  });
}
