import { createWriteStream } from 'node:fs';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Busboy, type BusboyFileStream, type BusboyHeaders, type BusboyInstance } from '@fastify/busboy';
import { SlessError } from '../../../errors.ts';
import { requirePlain } from '../request/content-coding.ts';

interface ReceiveOptions {
  /** Where the zip is written: a new file in a folder that exists. */
  readonly path: string;
  /** The largest zip in bytes. */
  readonly maxBytes: number;
  /** Milliseconds of silence after which the sender is given up; 30 s by default. */
  readonly silenceMs?: number | undefined;
}

/** Boundaries and part headers around the zip. */
const FORM_OVERHEAD_BYTES = 65_536;
/** A sender that is silent for so long has gone; it would hold one of few places for nothing. */
const SILENCE_MS = 30_000;
/** A text beside the zip is refused anyway; this much of it is kept to see its end. */
const MAX_TEXT_BYTES = 8192;

/**
 * Streams the multipart field `code` of a request into a file, and stops reading at the first thing that is wrong. The
 * request itself is left to the server to drain or cut, so that the answer still gets through.
 *
 * @throws SlessError `PayloadTooLarge`, `InvalidRequest`, `UnsupportedMediaType`
 */
export async function receiveZip(incoming: IncomingMessage, options: ReceiveOptions): Promise<void> {
  checkHeaders(incoming.headers, options.maxBytes);
  const parser = createParser(incoming.headers, options.maxBytes);
  const watched = watchSender(incoming, options);
  const over = new AbortController();
  try {
    const form = readForm(parser, { ...options, signal: over.signal });
    incoming.pipe(parser);
    await Promise.race([form, watched.failed]);
  } finally {
    watched.stop();
    incoming.unpipe(parser);
    parser.destroy();
    over.abort(); // closes the file, should it still be open
  }
}

function checkHeaders(headers: IncomingHttpHeaders, maxBytes: number): void {
  if (!/^multipart\/form-data *;/i.test(headers['content-type'] ?? ''))
    throw new SlessError(
      'UnsupportedMediaType',
      'send multipart/form-data with the zip as the file field "code" (curl -F code=@function.zip)',
    );
  requirePlain(headers['content-encoding']);
  if (Number(headers['content-length'] ?? 0) > maxBytes + FORM_OVERHEAD_BYTES) throw tooLarge(maxBytes);
}

function createParser(headers: IncomingHttpHeaders, maxBytes: number): BusboyInstance {
  try {
    return new Busboy({
      headers: headers as BusboyHeaders, // content-type was looked at
      limits: { fileSize: maxBytes, fieldSize: MAX_TEXT_BYTES, headerPairs: 20 },
    });
  } catch (cause) {
    throw new SlessError('InvalidRequest', 'the form has no boundary', { cause });
  }
}

/** Fails when more comes than any good upload has, when nothing comes, or when the sender leaves. */
function watchSender(
  incoming: IncomingMessage,
  { maxBytes, silenceMs = SILENCE_MS }: ReceiveOptions,
): { failed: Promise<never>; stop: () => void } {
  const { promise, reject } = Promise.withResolvers<never>();
  const silence = setTimeout(() => reject(brokenOff('nothing came for too long')), silenceMs);
  let bytes = 0;
  const onData = (chunk: Buffer) => {
    silence.refresh();
    bytes += chunk.length;
    if (bytes > maxBytes + FORM_OVERHEAD_BYTES) reject(tooLarge(maxBytes));
  };
  const onClose = () => {
    if (!incoming.complete) reject(brokenOff('the sender left'));
  };
  incoming.on('data', onData).on('close', onClose).on('error', onClose);
  promise.catch(() => undefined); // whoever races it hears of it; after that nobody has to
  const stop = () => {
    clearTimeout(silence);
    incoming.off('data', onData).off('close', onClose).off('error', onClose);
  };
  return { failed: promise, stop };
}

function brokenOff(why: string): SlessError {
  return new SlessError('InvalidRequest', `the upload was broken off: ${why}`);
}

interface FileOptions extends ReceiveOptions {
  readonly signal: AbortSignal;
}

function readForm(parser: BusboyInstance, options: FileOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    let zip: Promise<void> | undefined;
    const refuse = (message: string) => reject(new SlessError('InvalidRequest', message));
    parser.on('file', (field, stream) => {
      stream.on('error', reject);
      if (field !== 'code') return refuse(`${JSON.stringify(field)}: there is no such field; send "code"`);
      if (zip !== undefined) return refuse('code: send one file');
      zip = saveFile(stream, options);
      zip.catch(reject);
    });
    parser.on('field', (field, _value, _cut, valueCut) => {
      if (valueCut)
        reject(new SlessError('PayloadTooLarge', `${JSON.stringify(field)}: the text is too long`));
      else if (field === 'code') refuse('code: send it as a file (curl -F code=@function.zip)');
      else refuse(`${JSON.stringify(field)}: there is no such field; send "code"`);
    });
    parser.on('error', (cause) => {
      reject(new SlessError('InvalidRequest', 'the form is malformed or ends too early', { cause }));
    });
    parser.on('finish', () => {
      if (zip === undefined) refuse('code: is required: the zip, as a file');
      else zip.then(resolve, reject);
    });
  });
}

async function saveFile(stream: BusboyFileStream, options: FileOptions): Promise<void> {
  const { path, maxBytes, signal } = options;
  const limited = new Promise<never>((_, reject) => stream.on('limit', () => reject(tooLarge(maxBytes))));
  const saved = pipeline(stream as Readable, createWriteStream(path, { flags: 'wx', mode: 0o600 }), {
    signal,
  });
  await Promise.race([saved, limited]);
  if (stream.truncated) throw tooLarge(maxBytes);
}

function tooLarge(maxBytes: number): SlessError {
  return new SlessError('PayloadTooLarge', `the zip must be at most ${maxBytes} bytes`);
}
