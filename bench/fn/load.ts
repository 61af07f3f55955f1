import { connect, type Socket } from 'node:net';

/** A load of one kind of request. */
export interface Load {
  readonly port: number;
  readonly request: Buffer;
  readonly connections: number;
  readonly milliseconds: number;
  /** Requests a second on all connections together; as many as can be, where it is absent. */
  readonly rate?: number;
}

export interface LoadResult {
  readonly operations: number;
  readonly seconds: number;
  /** Milliseconds. */
  readonly p99: number;
}

/**
 * Sends the same request over and over on each of some connections, the next one when the answer is complete. Reads
 * as little of the answers as it can: their length is learned from the first one.
 */
export async function runLoad(load: Load): Promise<LoadResult> {
  const length = await answerLength(load);
  const until = performance.now() + load.milliseconds;
  const started = performance.now();
  const times: number[] = [];
  const lanes = Array.from({ length: load.connections }, () => lane(load, length, { until, times }));
  await Promise.all(lanes);
  times.sort((a, b) => a - b);
  return {
    operations: times.length,
    seconds: (performance.now() - started) / 1000,
    p99: times[Math.floor(times.length * 0.99)] ?? 0,
  };
}

function lane(
  { port, request, rate, connections }: Load,
  length: number,
  run: { until: number; times: number[] },
): Promise<void> {
  return new Promise((resolve, reject) => {
    let missing = length;
    let sent = 0;
    const pauseMs = rate === undefined ? 0 : (1000 * connections) / rate;
    let next = performance.now() + Math.random() * pauseMs;
    const send = (socket: Socket): void => {
      sent = performance.now();
      missing = length;
      socket.write(request);
    };
    const socket: Socket = connect({
      port,
      host: '127.0.0.1',
      noDelay: true,
      onread: {
        buffer: Buffer.alloc(256 * 1024),
        callback(bytes) {
          missing -= bytes;
          if (missing < 0) reject(new Error('an answer has another length than the first one'));
          if (missing !== 0) return true;
          const now = performance.now();
          run.times.push(now - sent);
          if (now >= run.until) socket.end();
          else if (pauseMs === 0) send(socket);
          else {
            next = Math.max(next + pauseMs, now);
            setTimeout(send, next - now, socket);
          }
          return true;
        },
      },
    });
    socket.on('connect', () => send(socket));
    socket.on('error', reject);
    socket.on('close', () =>
      missing === 0 ? resolve() : reject(new Error('closed in the middle of an answer')),
    );
  });
}

/** Bytes of one answer, head and body; refuses anything but 200 with a Content-Length. */
function answerLength({ port, request }: Load): Promise<number> {
  return new Promise((resolve, reject) => {
    let text = '';
    const socket = connect({ port, host: '127.0.0.1' }, () => socket.write(request));
    socket.setEncoding('latin1');
    socket.on('error', reject);
    socket.on('data', (piece) => {
      text += piece;
      const end = text.indexOf('\r\n\r\n');
      if (end < 0) return;
      const length = Number(/^content-length: (\d+)/im.exec(text.slice(0, end))?.[1] ?? Number.NaN);
      socket.destroy();
      if (!text.startsWith('HTTP/1.1 200') || Number.isNaN(length))
        reject(new Error(`unexpected: ${text.slice(0, 300)}`));
      else resolve(end + 4 + length);
    });
  });
}
