import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { findBinary, freePort } from '../contracts/binary.ts';
import type { BrokerNode } from './broker.ts';

const run = promisify(execFile);

/** A RabbitMQ of a test's own, for what must not be done to a broker that others use. */
export interface OwnNode extends BrokerNode {
  close(): Promise<void>;
}

const NAME = 'sless-test@localhost';
const HOST = '127.0.0.1';
const START_MS = 60_000;

// What Debian puts onto the PATH becomes another user first, and forgets the settings below.
const SERVER = [
  '/usr/lib/rabbitmq/bin/rabbitmq-server',
  findBinary('rabbitmq-server', 'RABBITMQ_SERVER'),
].find((path) => path !== undefined && existsSync(path));
const EPMD = findBinary('epmd', 'EPMD');

/** Why no node can be started; `undefined` where one can. Said aloud, so that nobody takes it for a success. */
export const withoutOwnNode: string | undefined =
  SERVER === undefined ? 'there is no rabbitmq-server' : EPMD === undefined ? 'there is no epmd' : undefined;
if (withoutOwnNode !== undefined) console.warn(`SKIPPED, NO RABBITMQ OF ITS OWN: ${withoutOwnNode}`);

/** Ports, folder, cookie and port mapper are its own: nothing of another broker is touched. */
export async function startOwnNode(): Promise<OwnNode> {
  const folder = await mkdtemp(join(tmpdir(), 'sless-rabbitmq-'));
  const [port, dist, mapper] = [await freePort(HOST), await freePort(HOST), await freePort(HOST)];
  await writeFile(
    join(folder, 'rabbitmq.conf'),
    `listeners.tcp.1 = ${HOST}:${port}\ndisk_free_limit.absolute = 1MB\n`,
  );
  await writeFile(join(folder, 'plugins'), '[].\n');
  const env = {
    ...process.env,
    HOME: folder,
    ERL_EPMD_PORT: String(mapper),
    ERL_EPMD_ADDRESS: HOST,
    RABBITMQ_NODENAME: NAME,
    RABBITMQ_DIST_PORT: String(dist),
    RABBITMQ_MNESIA_BASE: join(folder, 'data'),
    RABBITMQ_LOG_BASE: join(folder, 'log'),
    RABBITMQ_LOGS: '-',
    RABBITMQ_CONFIG_FILE: join(folder, 'rabbitmq.conf'),
    RABBITMQ_ENABLED_PLUGINS_FILE: join(folder, 'plugins'),
    RABBITMQ_PID_FILE: join(folder, 'pid'),
  };
  // Sound: the tests that call this are skipped without one.
  const server = spawn(SERVER as string, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const ctl = async (...words: readonly string[]): Promise<string> => {
    const path = join(dirname(SERVER as string), 'rabbitmqctl');
    return (await run(path, ['-q', ...words], { env })).stdout;
  };
  const close = async (): Promise<void> => {
    if (server.exitCode === null) {
      await ctl('stop').catch(() => server.kill('SIGKILL'));
      if (server.exitCode === null && server.signalCode === null) await once(server, 'exit');
    }
    // The port mapper is a daemon of its own and would stay.
    await run(EPMD as string, ['-kill'], { env }).catch(() => {});
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await started(server);
  } catch (error) {
    await close();
    throw error;
  }
  return { place: { host: HOST, port }, ctl, close };
}

/** Resolves with the line that says so. */
function started(server: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let said = '';
    const late = setTimeout(() => reject(new Error(`RabbitMQ did not start:\n${said}`)), START_MS);
    server.once('exit', () => reject(new Error(`RabbitMQ ended at its start:\n${said}`)));
    for (const stream of [server.stdout, server.stderr])
      stream?.on('data', (bytes: Buffer) => {
        said = `${said}${bytes}`.slice(-8192);
        if (!said.includes('Server startup complete')) return;
        clearTimeout(late);
        resolve();
      });
  });
}
