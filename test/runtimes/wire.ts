import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** A response as it came over the wire; header names in lower case, every line of them. */
export interface WireResponse {
  readonly status: number;
  readonly version: string;
  readonly headers: ReadonlyMap<string, readonly string[]>;
  readonly body: Buffer;
}

const EMPTY = Buffer.alloc(0);

/** A raw connection that reads responses strictly: what the framing says, no byte more or less. */
export class Wire {
  readonly #socket: Socket;
  #received: Buffer = EMPTY;
  #ended = false;
  #failure: Error | undefined;
  #wake: () => void = () => {};

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('data', (chunk) => {
      this.#received = Buffer.concat([this.#received, chunk]);
      this.#wake();
    });
    socket.on('end', () => this.#end());
    socket.on('close', () => this.#end());
    socket.on('error', (error) => {
      this.#failure = error;
      this.#end();
    });
  }

  static async open(port: number): Promise<Wire> {
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true, noDelay: true });
    const wire = new Wire(socket);
    await once(socket, 'connect');
    return wire;
  }

  send(data: string | Buffer): void {
    this.#socket.write(typeof data === 'string' ? Buffer.from(data, 'latin1') : data);
  }

  /** Waits until everything sent so far has been taken by the kernel. */
  async flushed(): Promise<void> {
    await new Promise<void>((resolve) => void this.#socket.write(EMPTY, () => resolve()));
  }

  /** Ends the sending half. */
  finish(): void {
    this.#socket.end();
  }

  destroy(): void {
    this.#socket.destroy();
  }

  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    this.#socket.resume();
  }

  /** The next response. Interim ones (1xx) are skipped unless asked for. */
  async response(options: { method?: string; interim?: boolean } = {}): Promise<WireResponse> {
    const head = await this.#head();
    if (head.status < 200) return options.interim ? { ...head, body: EMPTY } : this.response(options);
    return { ...head, body: await this.#body(head, options.method ?? 'GET') };
  }

  /** The head of a response whose body is read with `chunk`. */
  async #head(): Promise<Omit<WireResponse, 'body'>> {
    const text = (await this.#until('\r\n\r\n')).toString('latin1');
    const [statusLine = '', ...lines] = text.split('\r\n');
    const match = /^(HTTP\/1\.[01]) (\d{3}) [^\r\n]*$/.exec(statusLine);
    if (!match) throw new Error(`not a status line: ${JSON.stringify(statusLine)}`);
    const headers = new Map<string, string[]>();
    for (const line of lines) {
      const header = /^([!#$%&'*+\-.^_`|~0-9A-Za-z]+): ?([^\r\n\0]*)$/.exec(line);
      if (!header?.[1]) throw new Error(`not a header: ${JSON.stringify(line)}`);
      const name = header[1].toLowerCase();
      headers.set(name, [...(headers.get(name) ?? []), header[2] ?? '']);
    }
    return { version: match[1] ?? '', status: Number(match[2]), headers };
  }

  async head(): Promise<Omit<WireResponse, 'body'>> {
    return this.#head();
  }

  async #body(head: Omit<WireResponse, 'body'>, method: string): Promise<Buffer> {
    if (method === 'HEAD' || head.status === 204 || head.status === 304) return EMPTY;
    if (head.headers.has('transfer-encoding')) return this.#chunks();
    const length = head.headers.get('content-length');
    return length === undefined ? this.untilClosed() : this.#exactly(Number(length[0]));
  }

  async #chunks(): Promise<Buffer> {
    const chunks: Buffer[] = [];
    for (;;) {
      const chunk = await this.chunk();
      if (chunk === undefined) return Buffer.concat(chunks);
      chunks.push(chunk);
    }
  }

  /** The next chunk of a chunked body, undefined after the last. */
  async chunk(): Promise<Buffer | undefined> {
    const size = Number.parseInt((await this.#until('\r\n')).toString('latin1'), 16);
    const data = await this.#exactly(size);
    const end = await this.#exactly(2);
    if (end.toString('latin1') !== '\r\n') throw new Error('a chunk is longer than its size');
    return size === 0 ? undefined : data;
  }

  /** Whatever still comes, up to the end of the connection. */
  async untilClosed(): Promise<Buffer> {
    await this.#waitFor(() => this.#ended);
    return this.#take(this.#received.length);
  }

  /** What has come and was not read. */
  get unread(): number {
    return this.#received.length;
  }

  async #until(mark: string): Promise<Buffer> {
    await this.#waitFor(() => this.#received.includes(mark));
    const taken = this.#take(this.#received.indexOf(mark));
    this.#take(mark.length);
    return taken;
  }

  async #exactly(size: number): Promise<Buffer> {
    await this.#waitFor(() => this.#received.length >= size);
    return this.#take(size);
  }

  #take(size: number): Buffer {
    const taken = this.#received.subarray(0, size);
    this.#received = this.#received.subarray(size);
    return taken;
  }

  #end(): void {
    this.#ended = true;
    this.#wake();
  }

  async #waitFor(condition: () => boolean): Promise<void> {
    while (!condition()) {
      if (this.#ended) {
        const rest = this.#received.toString('latin1').slice(0, 200);
        throw new Error(`the connection ended after ${JSON.stringify(rest)}`, { cause: this.#failure });
      }
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}

/** A request to send over a connection of its own. */
export interface WireRequest {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}

/** The bytes of a request; the length is added where there is a body. */
export function requestBytes({ method, path = '/', headers = {}, body }: WireRequest): Buffer {
  const content = body === undefined ? EMPTY : Buffer.from(body);
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const length = body === undefined ? '' : `content-length: ${content.length}\r\n`;
  const verb = method ?? (body === undefined ? 'GET' : 'POST');
  const head = `${verb} ${path} HTTP/1.1\r\nhost: test\r\n${length}${lines.join('')}\r\n`;
  return Buffer.concat([Buffer.from(head, 'latin1'), content]);
}

/** One request on a connection of its own. */
export async function ask(port: number, request: WireRequest): Promise<WireResponse> {
  const wire = await Wire.open(port);
  try {
    wire.send(requestBytes(request));
    return await wire.response({ method: request.method ?? 'GET' });
  } finally {
    wire.destroy();
  }
}

/** The JSON of a response. */
export function json(response: WireResponse): unknown {
  return JSON.parse(response.body.toString('utf8'));
}

/** A path's call with a JSON body. */
export function call(path: string, event: unknown): WireRequest {
  return { path, headers: { 'content-type': 'application/json' }, body: JSON.stringify(event) };
}
