import type { Socket } from 'node:net';
import type { SwitchedConnection } from './upstream.ts';

/** A connection whose protocol has changed: no parser looks at what the pod sends, it goes to whoever took it over. */
export class Switched implements SwitchedConnection {
  readonly socket: Socket;
  readonly resume: () => void;
  #onBytes: ((bytes: Buffer) => boolean) | undefined;

  constructor(socket: Socket, resume: () => void) {
    this.socket = socket;
    this.resume = resume;
  }

  receive(onBytes: (bytes: Buffer) => boolean): void {
    this.#onBytes = onBytes;
  }

  /** What was read; the bytes are gone when this returns. Returns whether to go on reading. */
  take(bytes: Buffer): boolean {
    return this.#onBytes?.(bytes) ?? true;
  }
}
