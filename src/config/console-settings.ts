import * as parse from './parse.ts';
import { setting } from './setting.ts';

/** The part of the table that is about the console: signing in by OpenID Connect, and calling functions from it. */
export const CONSOLE_SETTINGS = {
  oidcIssuer: setting({
    name: 'OIDC_ISSUER',
    roles: ['api'],
    defaultNote: 'tokens are pasted',
    meaning:
      'Issuer at which people sign in to the console (OpenID Connect, authorization code with PKCE), such as https://login.example.com/realms/main. Its tokens must be those that AUTH_MODE accepts. The redirect URI to register there is {EXTERNAL_URL}/funcs/-/signin/callback.',
    parse: parse.anyUrl,
  }),
  oidcClientId: setting({
    name: 'OIDC_CLIENT_ID',
    roles: ['api'],
    meaning: 'What the console is called at that issuer. Comes with OIDC_ISSUER.',
    parse: parse.text,
  }),
  oidcClientSecret: setting({
    name: 'OIDC_CLIENT_SECRET',
    roles: ['api'],
    secret: true,
    defaultNote: 'a public client',
    meaning: 'Secret of that client, where the issuer wants one.',
    parse: parse.text,
  }),
  oidcScope: setting({
    name: 'OIDC_SCOPE',
    roles: ['api'],
    default: 'openid',
    meaning: 'What is asked for there; openid must be among it.',
    parse: parse.text,
  }),
  oidcToken: setting({
    name: 'OIDC_TOKEN',
    roles: ['api'],
    default: 'access',
    meaning:
      'Which of the tokens that come is shown to the api: access, where that is a JWT for this api, or id (Dex, for one, has no other).',
    parse: parse.oneOf('access', 'id'),
  }),
  fnInternalUrl: setting({
    name: 'FN_INTERNAL_URL',
    roles: ['api'],
    defaultNote:
      'its own port, where one process is api and proxy; else functions cannot be called from the console',
    meaning: 'URL at which the api reaches the proxy, for calls that are sent from the console.',
    parse: parse.baseUrl,
  }),
} as const;
