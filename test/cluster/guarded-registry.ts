// @peculiar/x509 finds its parts through decorators, which want this before it is loaded.
import 'reflect-metadata';
import { webcrypto } from 'node:crypto';
import { once } from 'node:events';
import { type IncomingMessage, request, type ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import {
  BasicConstraintsExtension,
  SubjectAlternativeNameExtension,
  X509CertificateGenerator,
} from '@peculiar/x509';

/** A registry that asks for a login and has a certificate that the world does not know, before one that asks for nothing. */
export interface GuardedRegistry {
  /** `host:port`. */
  readonly at: string;
  /** Of its certificate, PEM. */
  readonly ca: string;
  /** What a Secret of type dockerconfigjson holds for it. */
  readonly dockerConfig: string;
  /** What nobody else may come to know. */
  readonly secrets: readonly string[];
  close(): void;
}

/** Everything that passes has shown the login. */
export async function startGuardedRegistry(host: string, target: string): Promise<GuardedRegistry> {
  const password = `pw${crypto.randomUUID().replaceAll('-', '')}`;
  const auth = Buffer.from(`builder:${password}`).toString('base64');
  const { key, cert } = await certificateOf(host);
  const server = createServer({ key, cert }, (asked, answer) => {
    if (asked.headers.authorization === `Basic ${auth}`) return void pass(asked, target, answer);
    asked.resume();
    answer.writeHead(401, {
      'www-authenticate': 'Basic realm="guarded"',
      'content-type': 'application/json',
    });
    answer.end(JSON.stringify({ errors: [{ code: 'UNAUTHORIZED', message: 'authentication required' }] }));
  }).listen(0, host);
  await once(server, 'listening');
  const at = `${host}:${(server.address() as AddressInfo).port}`;
  return {
    at,
    ca: cert,
    dockerConfig: JSON.stringify({ auths: { [at]: { auth } } }),
    secrets: [password, auth],
    close: () => end(server),
  };
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** Signed by itself, for an address. */
export async function certificateOf(ip: string): Promise<{ readonly key: string; readonly cert: string }> {
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const cert = await X509CertificateGenerator.createSelfSigned({
    name: `CN=${ip}`,
    notBefore: new Date(Date.now() - DAY_MS),
    notAfter: new Date(Date.now() + DAY_MS),
    keys,
    signingAlgorithm: algorithm,
    extensions: [
      new BasicConstraintsExtension(true, undefined, true),
      new SubjectAlternativeNameExtension([{ type: 'ip', value: ip }]),
    ],
  });
  const pkcs8 = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey)).toString('base64');
  const key = `-----BEGIN PRIVATE KEY-----\n${pkcs8}\n-----END PRIVATE KEY-----\n`;
  return { key, cert: `${cert.toString('pem')}\n` };
}

function pass(asked: IncomingMessage, target: string, answer: ServerResponse): void {
  const { method, url = '/', headers } = asked;
  const { authorization: _, ...rest } = headers;
  // The registry behind leads on to the host that it was asked under, if it is told how.
  const forwarded = { ...rest, 'x-forwarded-proto': 'https' };
  const passing = request(`http://${target}${url}`, { method, headers: forwarded }, (told) => {
    answer.writeHead(told.statusCode ?? 502, told.headers);
    told.pipe(answer);
  });
  passing.on('error', () => answer.destroy());
  asked.pipe(passing);
}

function end(server: Server): void {
  server.close();
  server.closeAllConnections();
}
