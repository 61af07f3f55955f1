import { connect, type Socket } from 'node:net';
import type { ReadBuffers } from './read-buffers.ts';
import { invalidAnswer, type ResponseHead } from './response-head.ts';
import { ResponseParser } from './response-parser.ts';
import { Switched } from './switched.ts';
import type { SwitchedConnection, UpstreamRequest } from './upstream.ts';

/** Whose request a connection carries. */
export interface ConnectionUser {
  information(head: ResponseHead): void;
  head(head: ResponseHead): void;
  body(bytes: Buffer, lent: boolean): void;
  flush(): boolean;
  end(): boolean;
  switched(head: ResponseHead, connection: SwitchedConnection): void;
  /** The connection is gone before the response was complete, or after it was switched. */
  broken(error: Error): void;
}

/** Who keeps connections. */
export interface ConnectionOwner {
  opened(connection: Connection): void;
  /** The connection carries nothing and can be used again. */
  released(connection: Connection): void;
  /** Told once, for every connection that was opened or not. */
  gone(connection: Connection, error: Error | undefined): void;
}

export interface Address {
  readonly address: string;
  readonly port: number;
}

/** Bodies up to here go out in one string with the head: copying is cheaper than a second buffer in the write. */
const INLINE_BODY = 16 * 1024;

/** One connection to a pod: one request at a time, destroyed on the first thing that it should not have said. */
export class Connection {
  /** When it was last given a request, and when it last became idle. Its pool writes both. */
  usedSince = 0;
  idleSince = 0;
  keepAliveSeconds: number | undefined;
  /** Whether it can be written to. */
  open = false;
  /** Whether it ever could. */
  opened = false;
  readonly #socket: Socket;
  readonly #owner: ConnectionOwner;
  readonly #buffers: ReadBuffers;
  readonly #parser: ResponseParser;
  #user: ConnectionUser | undefined;
  #own: Buffer | undefined;
  #reading: Buffer;
  #filled = false;
  #paused = false;
  #written = true;
  #lastHead: ResponseHead | undefined;
  #switched: Switched | undefined;
  #error: Error | undefined;

  constructor(target: Address, owner: ConnectionOwner, buffers: ReadBuffers) {
    this.#owner = owner;
    this.#buffers = buffers;
    this.#reading = buffers.shared;
    this.#parser = new ResponseParser({
      information: (head) => this.#user?.information(head),
      head: (head) => this.#takeHead(head),
      body: (buffer, start, end) => this.#body(buffer, start, end),
    });
    this.#socket = connect({
      host: target.address,
      port: target.port,
      noDelay: true,
      allowHalfOpen: true,
      onread: { buffer: () => this.#nextBuffer(), callback: (length) => this.#read(length) },
    });
    this.#socket.on('connect', () => {
      this.open = true;
      this.opened = true;
      owner.opened(this);
    });
    this.#socket.on('end', () => this.#ended());
    this.#socket.on('error', (error) => {
      this.#error = error;
    });
    this.#socket.on('close', () => this.#closed());
  }

  /** Writes the request's head, and its body where it is at hand. */
  begin(request: UpstreamRequest, user: ConnectionUser): void {
    this.#user = user;
    this.#written = !request.streamed;
    this.#parser.expect(request.method, request.upgrade);
    const { head, body } = request;
    if (body === undefined) this.#socket.write(head, 'latin1');
    else if (body.length <= INLINE_BODY) {
      this.#socket.write(head + body.toString('latin1', 0, body.length), 'latin1');
    } else {
      this.#socket.cork();
      this.#socket.write(head, 'latin1');
      this.#socket.write(body);
      this.#socket.uncork();
    }
  }

  write(bytes: Buffer | string, done: () => void): void {
    if (typeof bytes === 'string') this.#socket.write(bytes, 'latin1', done);
    else this.#socket.write(bytes, done);
  }

  cork(): void {
    this.#socket.cork();
  }

  uncork(): void {
    this.#socket.uncork();
  }

  /** The streamed body is complete. */
  finish(): void {
    this.#written = true;
  }

  resume(): void {
    if (!this.#paused) return;
    this.#paused = false;
    this.#socket.resume();
  }

  /** Frees the socket at once; its user hears nothing more. */
  destroy(): void {
    this.#user = undefined;
    this.#close();
  }

  /** From here on nobody may be given it, though its end is told later. */
  #close(): void {
    this.open = false;
    this.#socket.destroy();
  }

  #nextBuffer(): Buffer {
    const inBody = this.#user !== undefined;
    if (this.#own === undefined && this.#filled && inBody) this.#own = this.#buffers.take();
    else if (this.#own !== undefined && !this.#filled && !this.#paused) this.#giveBack();
    this.#reading = this.#own ?? this.#buffers.shared;
    return this.#reading;
  }

  /** While paused the user holds on to bytes that it was lent: that buffer is left to it. */
  #giveBack(): void {
    if (this.#paused) this.#loseBuffer();
    else if (this.#own !== undefined) this.#buffers.give(this.#own);
    this.#own = undefined;
  }

  #loseBuffer(): void {
    if (this.#own !== undefined) this.#buffers.forget();
    this.#own = undefined;
  }

  /** Returns whether to go on reading. */
  #read(length: number): boolean {
    const buffer = this.#reading;
    // A bulk transfer begins with a read that fills the shared buffer; one that leaves much of a large one empty ends it.
    this.#filled = length > (this.#own === undefined ? buffer.length - 1 : buffer.length / 8);
    if (this.#switched !== undefined) {
      this.#paused = !this.#switched.take(buffer.subarray(0, length));
      return !this.#paused;
    }
    if (this.#user === undefined) {
      this.#fail(invalidAnswer('it said something unasked'));
      return false;
    }
    try {
      const at = this.#parser.execute(buffer, 0, length);
      if (this.#parser.complete) this.#completed(buffer.subarray(at, length));
      else this.#paused = this.#user?.flush() === false;
    } catch (error) {
      this.#fail(error as Error);
    }
    return !this.#paused;
  }

  #takeHead(head: ResponseHead): void {
    this.#lastHead = head;
    if (head.status !== 101) this.#user?.head(head);
  }

  #body(buffer: Buffer, start: number, end: number): void {
    this.#user?.body(buffer.subarray(start, end), this.#own !== undefined);
  }

  #completed(rest: Buffer): void {
    const user = this.#user;
    const head = this.#lastHead;
    this.#user = undefined;
    if (user === undefined || head === undefined) return;
    if (head.status === 101) {
      this.#user = user;
      this.#switched = new Switched(this.#socket, () => this.resume());
      user.switched(head, this.#switched);
      if (rest.length > 0) this.#paused = !this.#switched.take(rest);
      return;
    }
    if (head.keepAlive && this.#written && rest.length === 0) {
      this.keepAliveSeconds = head.keepAliveSeconds;
      this.#owner.released(this);
    } else this.#close();
    if (!user.end()) this.#loseBuffer();
  }

  /** The pod has ended its half. */
  #ended(): void {
    if (this.#switched !== undefined) return;
    try {
      this.#parser.finish();
      if (this.#user !== undefined) this.#completed(Buffer.alloc(0));
    } catch (error) {
      this.#fail(error as Error);
    }
    this.#close();
  }

  #fail(error: Error): void {
    this.#error = error;
    this.#paused = true;
    this.#close();
  }

  #closed(): void {
    this.open = false;
    this.#giveBack();
    const user = this.#user;
    this.#user = undefined;
    this.#owner.gone(this, this.#error);
    user?.broken(this.#error ?? invalidAnswer('the connection was closed'));
  }
}
