import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { request as requestTls } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { Hono } from 'hono';
import { afterEach, expect, test, vi } from 'vitest';
import type { Logger } from '../ports/logger.ts';
import { type OperatorServer, serveOperator } from './server.ts';

const quiet: Logger = {
  debug: () => {},
  info: () => {},
  warn: () => {},
  error: () => {},
  child: () => quiet,
};
const app = new Hono().get('/healthz', (c) => c.text('ok'));

const cleanups: (() => void | Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function serve(tls?: { certFile: string; keyFile: string }): Promise<OperatorServer> {
  const options = {
    host: '127.0.0.1',
    port: 0,
    ...(tls === undefined ? {} : { tls, certificatePollMs: 20 }),
  };
  const server = await serveOperator(app, options, quiet);
  cleanups.push(() => server.drain.close(0));
  return server;
}

test('idle connections are kept longer than the 90 s of the client', async () => {
  const { port } = await serve();
  const agent = new Agent({ keepAlive: true });
  cleanups.push(() => agent.destroy());
  const hint = await new Promise((resolve, reject) => {
    request({ port, host: '127.0.0.1', path: '/healthz', agent }, (response) => {
      response.resume();
      resolve(response.headers['keep-alive']);
    })
      .on('error', reject)
      .end();
  });
  expect(hint).toBe('timeout=120');
});

function certificate(folder: string, name: string): { certFile: string; keyFile: string } {
  const certFile = join(folder, `${name}.crt`);
  const keyFile = join(folder, `${name}.key`);
  const args = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  const output = ['-subj', `/CN=${name}`, '-days', '1', '-keyout', keyFile, '-out', certFile];
  execFileSync('openssl', [...args, ...output], { stdio: 'ignore' });
  return { certFile, keyFile };
}

/** The common name of the certificate that the server shows. */
async function shownName(port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = { port, host: '127.0.0.1', path: '/healthz', rejectUnauthorized: false, agent: false };
    const outgoing = requestTls(options, (response) => {
      response.resume();
      resolve(String((response.socket as TLSSocket).getPeerCertificate().subject.CN));
    });
    outgoing.on('error', reject).end();
  });
}

const hasOpenssl = (() => {
  try {
    execFileSync('openssl', ['version'], { stdio: 'ignore' });
    return true;
  } catch {
    console.warn('SKIPPED: without openssl no certificate can be made to test TLS with');
    return false;
  }
})();

test.skipIf(!hasOpenssl)(
  'a certificate is read again when its files change, and a broken one changes nothing',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'sless-operator-'));
    cleanups.push(() => rmSync(folder, { recursive: true }));
    const tls = certificate(folder, 'first');
    const next = certificate(folder, 'second');
    const { port } = await serve(tls);
    expect(await shownName(port)).toBe('first');
    // A key that does not fit: the old pair serves on until the rest arrives.
    copyFileSync(next.keyFile, tls.keyFile);
    expect(await shownName(port)).toBe('first');
    copyFileSync(next.certFile, tls.certFile);
    await vi.waitFor(async () => expect(await shownName(port)).toBe('second'), { timeout: 5_000 });
  },
);

test('a port that is taken is an error', async () => {
  const { port } = await serve();
  await expect(serveOperator(app, { host: '127.0.0.1', port }, quiet)).rejects.toThrow('EADDRINUSE');
});
