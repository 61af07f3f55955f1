import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { tokenFor } from '../api/api-server.ts';

/** A small OpenID provider that signs everybody in as `grace`, without asking. */
export interface Provider {
  readonly issuer: string;
  /** What the next visitor is told in place of a code. */
  refuse(error: string): void;
  close(): void;
}

interface Begun {
  readonly challenge: string;
  readonly nonce: string;
  readonly redirect: string;
}

/** Codes count once, and only with the verifier of whoever began (RFC 7636). */
export async function startProvider(): Promise<Provider> {
  const { publicKey, privateKey } = await generateKeyPair('RS256');
  const jwk = { ...(await exportJWK(publicKey)), kid: 'p', alg: 'RS256', use: 'sig' };
  const begun = new Map<string, Begun>();
  let refusal: string | undefined;
  let issuer = '';

  const authorize = (query: URLSearchParams): string => {
    const redirect = query.get('redirect_uri') ?? '';
    const to = new URL(redirect);
    to.searchParams.set('state', query.get('state') ?? '');
    to.searchParams.set('iss', issuer);
    if (refusal !== undefined) {
      to.searchParams.set('error', refusal);
      return to.href;
    }
    const code = randomUUID();
    const [challenge, nonce] = [query.get('code_challenge') ?? '', query.get('nonce') ?? ''];
    if (query.get('code_challenge_method') === 'S256') begun.set(code, { challenge, nonce, redirect });
    to.searchParams.set('code', code);
    return to.href;
  };
  const tokens = async (form: URLSearchParams): Promise<object | undefined> => {
    const code = form.get('code') ?? '';
    const found = begun.get(code);
    begun.delete(code);
    const proof = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    if (found?.challenge !== proof || found.redirect !== form.get('redirect_uri')) return undefined;
    const idToken = await new SignJWT({ nonce: found.nonce })
      .setProtectedHeader({ alg: 'RS256', kid: 'p' })
      .setIssuer(issuer)
      .setAudience('console')
      .setSubject('grace')
      .setIssuedAt()
      .setExpirationTime('5m')
      .sign(privateKey);
    return {
      access_token: await tokenFor('grace'),
      token_type: 'Bearer',
      expires_in: 3600,
      id_token: idToken,
    };
  };
  const json = (response: ServerResponse, body: object, status = 200): void => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  };
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { pathname, searchParams } = new URL(request.url ?? '/', issuer);
    if (pathname === '/.well-known/openid-configuration')
      return json(response, {
        issuer,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
        jwks_uri: `${issuer}/keys`,
        response_types_supported: ['code'],
        subject_types_supported: ['public'],
        id_token_signing_alg_values_supported: ['RS256'],
        authorization_response_iss_parameter_supported: true,
      });
    if (pathname === '/keys') return json(response, { keys: [jwk] });
    if (pathname === '/authorize') {
      response.writeHead(303, { location: authorize(searchParams) }).end();
      return;
    }
    const given = await tokens(new URLSearchParams(await text(request)));
    return given === undefined ? json(response, { error: 'invalid_grant' }, 400) : json(response, given);
  };

  const server = createServer((request, response) => void answer(request, response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    issuer,
    refuse: (error) => {
      refusal = error;
    },
    close: () => server.close(),
  };
}
