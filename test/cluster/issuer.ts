import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';

/** An issuer of tokens, as the api of a cluster knows one. */
export interface Issuer {
  /** Of its key set. */
  readonly jwksUrl: string;
  /** A token for this subject, good for an hour. */
  mint(subject: string): Promise<string>;
  close(): void;
}

/** At this address of the machine. */
export async function startIssuer(host = '127.0.0.1'): Promise<Issuer> {
  const { publicKey, privateKey } = await generateKeyPair('ES256');
  const keys = JSON.stringify({ keys: [{ ...(await exportJWK(publicKey)), kid: 'test', alg: 'ES256' }] });
  const server = createServer((_request, response) => void response.end(keys)).listen(0, host);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    jwksUrl: `http://${host}:${port}/jwks.json`,
    mint: (sub) =>
      new SignJWT({ sub, exp: Math.floor(Date.now() / 1000) + 3600 })
        .setProtectedHeader({ alg: 'ES256', kid: 'test' })
        .sign(privateKey),
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
