import { createHash } from 'node:crypto';
import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { pod, raw, rawPod, rawRequest, stage, until } from './stage.ts';

const hash = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');
const pattern = (size: number): Buffer =>
  Buffer.from(Uint8Array.from({ length: size }, (_, i) => (i * 7 + (i >> 8)) % 256));

/** A function that answers the hash of its body and how it was framed. */
async function hashing(options = {}) {
  const { port, server } = await pod((request, response) => {
    const sum = createHash('sha256');
    let bytes = 0;
    request.on('data', (piece) => {
      bytes += piece.length;
      sum.update(piece);
    });
    request.on('end', () => {
      const { 'content-length': length, 'transfer-encoding': coding } = request.headers;
      response.end(JSON.stringify({ bytes, hash: sum.digest('hex'), length, coding }));
    });
  });
  const set = await stage(options);
  set.serve('ns', 'f', [port]);
  return { ...set, pod: server };
}

test('bodies of every size arrive as they were, with a length and in chunks', async () => {
  const { url } = await hashing();
  for (const size of [0, 1, 100, 16_384, 16_385, 65_536, 65_537, 1_000_000, 5_000_000]) {
    const body = pattern(size);
    const known = await (await fetch(`${url}/fn/ns/f`, { method: 'POST', body })).json();
    expect(known).toEqual({ bytes: size, hash: hash(body), length: String(size) });
    // An empty stream is sent with a length of 0.
    if (size === 0) continue;
    const stream = new Blob([body]).stream();
    const chunked = await fetch(`${url}/fn/ns/f`, {
      method: 'PUT',
      body: stream,
      duplex: 'half',
    } as RequestInit);
    expect(await chunked.json()).toEqual({ bytes: size, hash: hash(body), coding: 'chunked' });
  }
});

test('GET, DELETE and OPTIONS with a body keep it', async () => {
  const { port } = await hashing();
  for (const method of ['GET', 'DELETE', 'OPTIONS', 'PROPFIND']) {
    const answer = await raw(
      port,
      `${method} /fn/ns/f HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 5\r\n\r\nhello`,
    );
    expect(answer.body).toContain('"bytes":5');
  }
});

test('a POST without any body is passed on without one', async () => {
  const { port } = await hashing();
  const answer = await rawRequest(port, '/fn/ns/f', '', 'POST');
  expect(answer.body).toContain('"bytes":0');
  expect(answer.body).not.toContain('length');
});

test('downloads of every size arrive as they were, with a length and in chunks', async () => {
  for (const size of [0, 1, 16_385, 65_536, 65_537, 300_000, 5_000_000]) {
    const body = pattern(size);
    for (const chunked of [false, true]) {
      const { port } = await pod((_, response) => {
        if (!chunked) response.setHeader('content-length', size);
        for (let at = 0; at < size; at += 10_000) response.write(body.subarray(at, at + 10_000));
        response.end();
      });
      const { url, serve } = await stage();
      serve('ns', 'f', [port]);
      for (let i = 0; i < 3; i += 1) {
        const got = Buffer.from(await (await fetch(`${url}/fn/ns/f`)).arrayBuffer());
        expect(got.length).toBe(size);
        expect(hash(got)).toBe(hash(body));
      }
    }
  }
});

test('many large downloads at once, some to slow readers, do not mix', async () => {
  const { port } = await pod((request, response) => {
    const body = Buffer.alloc(2_000_000, request.url!.slice(1));
    response.setHeader('content-length', body.length).end(body);
  });
  const { port: front, serve } = await stage();
  serve('ns', 'f', [port]);
  const reader = (name: string, slow: boolean): Promise<boolean> =>
    new Promise((resolve, reject) => {
      let bytes = 0;
      httpRequest({ port: front, path: `/fn/ns/f/${name}` }, (response) => {
        response.on('data', (piece: Buffer) => {
          bytes += piece.length;
          if (piece.some((byte) => byte !== name.charCodeAt(0)))
            reject(new Error(`foreign bytes for ${name}`));
          if (!slow) return;
          response.pause();
          setTimeout(() => response.resume(), 2);
        });
        response.on('end', () => resolve(bytes === 2_000_000));
        response.on('error', reject);
      })
        .on('error', reject)
        .end();
    });
  const names = [...'abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGH'];
  const whole = await Promise.all(names.map((name, i) => reader(name, i % 2 === 0)));
  expect(whole.every(Boolean)).toBe(true);
});

test('Expect: 100-continue with 5 MB is accepted, and refused before the body where it is refused', async () => {
  const { port } = await hashing({ maxBody: 6_000_000 });
  const body = pattern(5_000_000);
  const head = (path: string, length: number): string =>
    `POST ${path} HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nConnection: close\r\nContent-Length: ${length}\r\n\r\n`;
  const text = await new Promise<string>((resolve, reject) => {
    let got = '';
    const socket = connect(port, '127.0.0.1', () => socket.write(head('/fn/ns/f', body.length)));
    socket.on('data', (piece) => {
      if (got === '') socket.write(body);
      got += piece.toString('latin1');
    });
    socket.on('end', () => resolve(got));
    socket.on('error', reject);
  });
  expect(text.startsWith('HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n')).toBe(true);
  expect(text).toContain(hash(body));
  expect((await raw(port, head('/fn/ns/f', 7_000_000))).text).toMatch(/^HTTP\/1.1 413 /);
  expect((await raw(port, head('/fn/ns/none', 5))).text).toMatch(/^HTTP\/1.1 404 /);
});

test('Content-Length beside chunked, codings other than chunked, and two lengths are refused', async () => {
  const { port } = await hashing();
  for (const fields of [
    'Content-Length: 5\r\nTransfer-Encoding: chunked',
    'Transfer-Encoding: chunked\r\nContent-Length: 5',
    'Transfer-Encoding: gzip, chunked',
    'Transfer-Encoding: identity',
    'Content-Length: 5\r\nContent-Length: 6',
    'Content-Length: 5, 5',
    'Content-Length: +5',
  ]) {
    const answer = await raw(
      port,
      `POST /fn/ns/f HTTP/1.1\r\nHost: x\r\n${fields}\r\nConnection: close\r\n\r\n0\r\n\r\n`,
    );
    expect(answer.status, fields).toBe(400);
    expect(JSON.parse(answer.body).code).toBe('InvalidRequest');
  }
});

test('too large a body is 413, at once by its length and on the way in chunks; the function never sees a whole one', async () => {
  const { port, pod: server } = await hashing({ maxBody: 1_000_000 });
  let complete = 0;
  server.on('request', (request) => request.on('end', () => (complete += 1)));
  const early = await raw(
    port,
    `POST /fn/ns/f HTTP/1.1\r\nHost: x\r\nContent-Length: 3000000000\r\n\r\nstart`,
    (text) => text.includes('}'),
  );
  expect(early.status).toBe(413);
  expect(JSON.parse(early.body).code).toBe('PayloadTooLarge');
  const chunk = `ffff\r\n${'x'.repeat(65_535)}\r\n`;
  const late = await raw(
    port,
    `POST /fn/ns/f HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n${chunk.repeat(20)}`,
    (text) => text.includes('}'),
  );
  expect(late.status).toBe(413);
  expect(complete).toBe(0);
});

test('a client that sends its body too slowly is 408', async () => {
  const { port } = await hashing({ bodyIdleMs: 200 });
  for (const fields of ['Content-Length: 10', 'Content-Length: 100000', 'Transfer-Encoding: chunked']) {
    const answer = await raw(port, `POST /fn/ns/f HTTP/1.1\r\nHost: x\r\n${fields}\r\n\r\n1\r\na`, (text) =>
      text.includes('}'),
    );
    expect(answer.status, fields).toBe(408);
    expect(JSON.parse(answer.body).code).toBe('RequestTimeout');
  }
});

test('a function that answers before it has the body is heard, and the connection survives neither', async () => {
  const target = await rawPod((socket) => {
    let said = false;
    socket.on('data', () => {
      if (!said) socket.write('HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\nno');
      said = true;
    });
  });
  const { url, serve } = await stage();
  serve('ns', 'f', [target.port]);
  const body = new Blob([pattern(3_000_000)]).stream();
  const answer = await fetch(`${url}/fn/ns/f`, { method: 'POST', body, duplex: 'half' } as RequestInit);
  expect(answer.status).toBe(403);
  expect(await answer.text()).toBe('no');
  await until(() => target.sockets.size === 0 || [...target.sockets].every((socket) => socket.readableEnded));
});

test('request and answer stream at once', async () => {
  const { port } = await pod((request, response) => {
    response.flushHeaders();
    request.on('data', (piece) => response.write(piece));
    request.on('end', () => response.end());
  });
  const { port: front, serve } = await stage();
  serve('ns', 'f', [port]);
  const got: string[] = [];
  await new Promise<void>((resolve, reject) => {
    const request = httpRequest({ port: front, path: '/fn/ns/f', method: 'POST' }, (response) => {
      response.setEncoding('utf8');
      response.on('data', (piece: string) => {
        got.push(piece);
        if (got.length < 5) request.write(`${got.length}`);
        else request.end();
      });
      response.on('end', resolve);
    });
    request.on('error', reject);
    request.write('0');
  });
  expect(got).toEqual(['0', '1', '2', '3', '4']);
});

test('a fast sender is held back by a slow function, and a fast function by a slow reader', async () => {
  let taken = 0;
  let go: (() => void) | undefined;
  const slow = await pod((request, response) => {
    request.pause();
    go = () => request.resume();
    request.on('data', (piece) => (taken += piece.length));
    request.on('end', () => response.end('done'));
  });
  let produced = 0;
  const fast = await pod((_, response) => {
    const piece = Buffer.alloc(65_536);
    const more = (): void => {
      while (produced < 300_000_000) {
        produced += piece.length;
        if (!response.write(piece)) {
          response.once('drain', more);
          return;
        }
      }
      response.end();
    };
    more();
  });
  const { port, serve } = await stage();
  serve('ns', 'slow', [slow.port]);
  serve('ns', 'fast', [fast.port]);

  const size = 60_000_000;
  let sent = 0;
  const socket = connect(port, '127.0.0.1');
  socket.write(
    `POST /fn/ns/slow HTTP/1.1\r\nHost: x\r\nContent-Length: ${size}\r\nConnection: close\r\n\r\n`,
  );
  const piece = Buffer.alloc(65_536);
  const send = (): void => {
    while (sent < size) {
      const next = piece.subarray(0, Math.min(piece.length, size - sent));
      sent += next.length;
      if (!socket.write(next)) {
        socket.once('drain', send);
        return;
      }
    }
  };
  send();
  const reader = connect(port, '127.0.0.1', () =>
    reader.write('GET /fn/ns/fast HTTP/1.1\r\nHost: x\r\n\r\n'),
  );
  reader.pause();
  await until(() => go !== undefined && produced > 0);
  const settled = async (value: () => number): Promise<number> => {
    let before = -1;
    while (before !== value()) {
      before = value();
      await new Promise((resolve) => setTimeout(resolve, 300));
    }
    return before;
  };
  // What is under way then lies in the kernel's buffers (a few MB each) and not in this process.
  expect(await settled(() => sent)).toBeLessThan(40_000_000);
  expect(await settled(() => produced)).toBeLessThan(40_000_000);
  reader.destroy();
  go?.();
  const answer = await new Promise<string>((resolve) => {
    let text = '';
    socket.on('data', (bytes) => (text += bytes));
    socket.on('end', () => resolve(text));
  });
  expect(answer).toContain('done');
  expect(taken).toBe(size);
});
