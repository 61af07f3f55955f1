import { sizeOf, type WrittenLine } from './line.ts';

/** Between many writers and one reader: whoever writes waits while the reader is behind. */
export interface LineQueue {
  /** Resolves when there is room for more; `false` when nobody reads any more. */
  put(line: WrittenLine): Promise<boolean>;
  /** What there is, as soon as there is something; nothing after so many milliseconds, or once it is closed. */
  take(milliseconds: number): Promise<readonly WrittenLine[]>;
  close(): void;
}

/** `maxBytes` is about what it holds at most; each writer has one line more in its hands. */
export function createLineQueue(maxBytes: number): LineQueue {
  let waiting: WrittenLine[] = [];
  let held = 0;
  let closed = false;
  let wakeReader = (): void => {};
  let room = Promise.withResolvers<void>();
  return {
    async put(line) {
      while (held >= maxBytes && !closed) await room.promise;
      if (closed) return false;
      waiting.push(line);
      held += sizeOf(line);
      wakeReader();
      return true;
    },
    async take(milliseconds) {
      if (waiting.length === 0 && !closed) {
        const { promise, resolve } = Promise.withResolvers<void>();
        wakeReader = resolve;
        const timer = setTimeout(resolve, milliseconds);
        await promise;
        clearTimeout(timer);
      }
      const taken = waiting;
      waiting = [];
      held = 0;
      room.resolve();
      room = Promise.withResolvers();
      return taken;
    },
    close() {
      closed = true;
      room.resolve();
      wakeReader();
    },
  };
}
