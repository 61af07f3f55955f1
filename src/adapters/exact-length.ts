import { Transform } from 'node:stream';
import { SlessError } from '../errors.ts';

/** Passes bytes through and fails unless they are exactly `size`, so that no store keeps half an object. */
export function exactLength(size: number): Transform {
  let seen = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      seen += chunk.length;
      if (seen > size) done(wrongLength(size, `more than ${size}`));
      else done(null, chunk);
    },
    flush(done) {
      done(seen === size ? null : wrongLength(size, `only ${seen}`));
    },
  });
}

/** The error for a body that is not as long as was announced. */
export function wrongLength(size: number, found: string): SlessError {
  return new SlessError('InvalidRequest', `the body was announced with ${size} bytes and has ${found}`);
}
