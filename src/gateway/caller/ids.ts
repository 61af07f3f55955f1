import { randomBytes } from 'node:crypto';

/** Random identifiers for requests and traces. */
export interface Ids {
  /** So many bytes as lower-case hexadecimal digits. */
  hex(bytes: number): string;
}

/** Asking the system for random bytes costs much the same for 16 and for 4096 of them. */
const BATCH = 4096;

export function createIds(): Ids {
  let digits = '';
  let used = 0;
  return {
    hex(bytes) {
      const length = bytes * 2;
      if (used + length > digits.length) {
        digits = randomBytes(Math.max(BATCH, bytes)).toString('hex');
        used = 0;
      }
      used += length;
      return digits.slice(used - length, used);
    },
  };
}

const REQUEST_ID = /^[A-Za-z0-9._:=+/@-]{1,128}$/;

/** Whether a caller's request id can be taken over as it is. */
export const isRequestId = (text: string): boolean => REQUEST_ID.test(text);
