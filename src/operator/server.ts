import { readFileSync, unwatchFile, watchFile } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer, type Server as TlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import type { Hono } from 'hono';
import { createDrain, type Drain } from '../listener/drain.ts';
import type { Logger } from '../ports/logger.ts';

export interface OperatorServerOptions {
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
  /** PEM files; read again when they change. */
  readonly tls?: CertificateFiles;
  /** How often the certificate's files are looked at. */
  readonly certificatePollMs?: number;
}

/** Paths of PEM files. */
export interface CertificateFiles {
  readonly certFile: string;
  readonly keyFile: string;
}

/** A listening server. */
export interface OperatorServer {
  readonly port: number;
  readonly drain: Drain;
}

/**
 * Metacontroller keeps idle connections for 90 s, which is Go's default. A server that closes earlier may do so just as the next request is
 * sent, and the hook fails for nothing.
 */
const KEEP_ALIVE_MS = 120_000;
/** Secrets that are mounted change by a symbolic link, which the kernel's file events miss; so the files are looked at. */
const CERTIFICATE_POLL_MS = 10_000;

/** Serves the webhooks on HTTP, or on HTTPS when there is a certificate. Fails when the port or the certificate cannot be had. */
export async function serveOperator(
  app: Hono,
  options: OperatorServerOptions,
  logger: Logger,
): Promise<OperatorServer> {
  const listener: RequestListener = getRequestListener(app.fetch);
  const { tls, certificatePollMs = CERTIFICATE_POLL_MS } = options;
  const secure = tls === undefined ? undefined : createTlsServer(readCertificate(tls), listener);
  const server = secure ?? createServer(listener);
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  const drain = createDrain(server);
  await listen(server, options);
  const stopWatching =
    secure && tls ? watchCertificate(secure, tls, { logger, pollMs: certificatePollMs }) : () => {};
  return {
    port: (server.address() as AddressInfo).port,
    drain: {
      begin: drain.begin,
      close(milliseconds) {
        stopWatching();
        return drain.close(milliseconds);
      },
    },
  };
}

async function listen(server: Server, { host, port }: OperatorServerOptions): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

function readCertificate({ certFile, keyFile }: CertificateFiles): { cert: Buffer; key: Buffer } {
  return { cert: readFileSync(certFile), key: readFileSync(keyFile) };
}

/** Takes a new pair of files into use. A pair that does not fit together is logged and the old one serves on. */
function watchCertificate(
  server: TlsServer,
  files: CertificateFiles,
  { logger, pollMs }: { readonly logger: Logger; readonly pollMs: number },
): () => void {
  const reload = (): void => {
    try {
      server.setSecureContext(readCertificate(files));
      logger.info({ certFile: files.certFile }, 'certificate read again');
    } catch (error) {
      logger.error(
        { err: error, certFile: files.certFile },
        'the new certificate cannot be used; the old one serves on',
      );
    }
  };
  const watched = [files.certFile, files.keyFile];
  for (const file of watched) watchFile(file, { interval: pollMs, persistent: false }, reload);
  return () => {
    for (const file of watched) unwatchFile(file, reload);
  };
}
