import type { IncomingMessage } from 'node:http';
import { SlessError } from '../../../errors.ts';

/** The body, whole. @throws SlessError `PayloadTooLarge`, `InvalidRequest` when the sender leaves */
export function readBytes(incoming: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const chunks: Buffer[] = [];
  let size = 0;
  const onData = (chunk: Buffer) => {
    chunks.push(chunk);
    size += chunk.length;
    if (size > maxBytes) settle(tooLarge(maxBytes));
  };
  const onEnd = () => settle();
  const onClose = () => settle(new SlessError('InvalidRequest', 'the request was broken off'));
  const settle = (error?: SlessError) => {
    incoming.off('data', onData).off('end', onEnd).off('close', onClose).off('error', onClose);
    if (error === undefined) resolve(Buffer.concat(chunks));
    else reject(error);
  };
  if (Number(incoming.headers['content-length'] ?? 0) > maxBytes) return Promise.reject(tooLarge(maxBytes));
  incoming.on('data', onData).on('end', onEnd).on('close', onClose).on('error', onClose);
  return promise;
}

function tooLarge(maxBytes: number): SlessError {
  return new SlessError('PayloadTooLarge', `the body must be at most ${maxBytes} bytes`);
}
