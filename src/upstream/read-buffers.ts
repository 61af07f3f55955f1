/**
 * Reads land here while nothing large is under way: one buffer for all connections of a process. What it holds is
 * copied on, so it is no larger than the answers of most calls.
 */
const SHARED_SIZE = 16 * 1024;
/** What a large download reads into: measured, 256 KiB cost a quarter less CPU than 64 KiB, more brings nothing. */
const LARGE_SIZE = 256 * 1024;
/** With so many large downloads at once, memory matters more: the rest read smaller pieces. */
const LARGE_COUNT = 32;
const MODEST_SIZE = 64 * 1024;
const SPARE = 8;

/** Memory for reading. The shared buffer is good until the next read of any connection; own ones until given back. */
export interface ReadBuffers {
  readonly shared: Buffer;
  take(): Buffer;
  give(buffer: Buffer): void;
  /** Gives back what somebody may still read from: it is left to the garbage collector. */
  forget(): void;
}

export function createReadBuffers(): ReadBuffers {
  const spare: Buffer[] = [];
  let taken = 0;
  return {
    shared: Buffer.allocUnsafeSlow(SHARED_SIZE),
    take() {
      taken += 1;
      if (taken > LARGE_COUNT) return Buffer.allocUnsafeSlow(MODEST_SIZE);
      return spare.pop() ?? Buffer.allocUnsafeSlow(LARGE_SIZE);
    },
    give(buffer) {
      taken -= 1;
      if (buffer.length === LARGE_SIZE && spare.length < SPARE) spare.push(buffer);
    },
    forget() {
      taken -= 1;
    },
  };
}
