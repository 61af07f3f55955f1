import { once } from 'node:events';
import {
  Agent,
  createServer,
  type RequestListener,
  request,
  type Server,
  type ServerResponse,
} from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, expect, test, vi } from 'vitest';
import { createDrain, type Drain } from './drain.ts';

const cleanups: (() => void)[] = [];
afterEach(() => {
  for (const cleanup of cleanups.splice(0)) cleanup();
});

interface Stage {
  readonly drain: Drain;
  readonly port: number;
  /** Requests to `/slow`, which are answered when a test says so. */
  readonly slow: ServerResponse[];
  readonly agent: Agent;
  ask(path: string): Promise<Answer>;
}

interface Answer {
  readonly text: string;
  readonly connection: string | undefined;
}

async function stage(): Promise<Stage> {
  const slow: ServerResponse[] = [];
  const listener: RequestListener = ({ url }, response) => {
    if (url === '/slow') slow.push(response);
    else response.writeHead(200, { 'content-type': 'text/plain' }).end('quick');
  };
  const server: Server = createServer(listener);
  const drain = createDrain(server);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const agent = new Agent({ keepAlive: true });
  cleanups.push(() => {
    agent.destroy();
    server.close();
    server.closeAllConnections();
  });
  return { drain, port, slow, agent, ask: (path) => ask({ port, path, agent }) };
}

const ask = (options: { port: number; path: string; agent: Agent }): Promise<Answer> =>
  new Promise((resolve, reject) => {
    request({ host: '127.0.0.1', ...options }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (piece) => (text += piece));
      response.on('end', () => resolve({ text, connection: response.headers.connection }));
      response.on('error', reject);
    })
      .on('error', reject)
      .end();
  });

async function open(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  cleanups.push(() => socket.destroy());
  await once(socket, 'connect');
  return socket;
}

const LONG_MS = 60_000;

test('a request under way is answered, its connection ends with it, and then all is closed', async () => {
  const { drain, slow, ask } = await stage();
  const running = ask('/slow');
  await vi.waitFor(() => expect(slow).toHaveLength(1));
  const closed = drain.close(LONG_MS);
  slow[0]?.end('done');
  expect(await running).toEqual({ text: 'done', connection: 'close' });
  await closed;
});

test('one whose head said keep-alive before is answered to its end, and its connection ends too', async () => {
  const { drain, slow, ask } = await stage();
  const running = ask('/slow');
  await vi.waitFor(() => expect(slow).toHaveLength(1));
  slow[0]?.flushHeaders();
  slow[0]?.write('half ');
  const closed = drain.close(LONG_MS);
  slow[0]?.end('done');
  expect(await running).toEqual({ text: 'half done', connection: 'keep-alive' });
  await closed;
});

test('between begin and close new connections are taken, and each answer says close', async () => {
  const { drain, ask } = await stage();
  expect(await ask('/')).toEqual({ text: 'quick', connection: 'keep-alive' });
  drain.begin();
  // On the connection that was kept, then on new ones.
  for (let i = 0; i < 3; i += 1) expect(await ask('/')).toEqual({ text: 'quick', connection: 'close' });
  await drain.close(LONG_MS);
  await expect(ask('/')).rejects.toThrow('ECONNREFUSED');
});

test('callers that go on asking on their connections are told to end them, and none is cut', async () => {
  const { drain, ask } = await stage();
  const answers: Answer[] = [];
  const caller = async (): Promise<void> => {
    for (let told: string | undefined; told !== 'close'; ) {
      const answer = await ask('/');
      answers.push(answer);
      told = answer.connection;
    }
  };
  const callers = Promise.all(Array.from({ length: 8 }, caller));
  await vi.waitFor(() => expect(answers.length).toBeGreaterThan(80));
  drain.begin();
  await callers;
  await drain.close(LONG_MS);
  expect(new Set(answers.map(({ text }) => text))).toEqual(new Set(['quick']));
});

test('connections that brought nothing yet hold nothing up', async () => {
  const { drain, port } = await stage();
  const unused = await open(port);
  const gone = once(unused, 'close');
  await drain.close(LONG_MS);
  await gone;
});

test('what does not end in time is cut', async () => {
  const { drain, slow, ask } = await stage();
  const running = ask('/slow').catch((error: Error) => error.message);
  await vi.waitFor(() => expect(slow).toHaveLength(1));
  await drain.close(50);
  expect(await running).toMatch(/socket hang up|ECONNRESET/);
});
