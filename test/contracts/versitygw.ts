import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findBinary, freePort } from './binary.ts';

/** A running S3 server with one bucket. */
export interface S3Server {
  readonly endpoint: string;
  readonly bucket: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  close(): Promise<void>;
}

/** The versitygw binary: `VERSITYGW`, the test node's, or one on the PATH. */
export const findVersitygw = (): string | undefined => findBinary('versitygw', 'VERSITYGW');

/** Starts the server on a free port of that address over an empty folder. */
export async function startVersitygw(binary: string, host = '127.0.0.1'): Promise<S3Server> {
  const folder = await mkdtemp(join(tmpdir(), 'sless-s3-'));
  await mkdir(join(folder, 'bucket'));
  const port = await freePort(host);
  const child = spawn(
    binary,
    ['--port', `${host}:${port}`, '--access', 'test', '--secret', 'secret-of-test', 'posix', folder],
    { stdio: 'ignore' },
  );
  await listening(child, { host, port });
  return {
    endpoint: `http://${host}:${port}`,
    bucket: 'bucket',
    accessKeyId: 'test',
    secretAccessKey: 'secret-of-test',
    close: async () => {
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

interface Address {
  readonly host: string;
  readonly port: number;
}

async function listening(child: ChildProcess, { host, port }: Address): Promise<void> {
  for (let attempt = 0; attempt < 200; attempt++) {
    if (child.exitCode !== null) throw new Error(`versitygw ended with ${child.exitCode}`);
    const socket = connect(port, host);
    const up = await Promise.race([
      once(socket, 'connect').then(() => true),
      once(socket, 'error').then(() => false),
    ]).catch(() => false);
    socket.destroy();
    if (up) return;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  throw new Error('versitygw does not listen');
}
