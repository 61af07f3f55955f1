import * as parse from './parse.ts';
import { setting } from './setting.ts';

/** The part of the table that says who may do what. */
export const AUTH_SETTINGS = {
  authMode: setting({
    name: 'AUTH_MODE',
    roles: ['api'],
    default: 'jwks',
    meaning:
      'How tokens are checked. jwks: signature against the key set at JWKS_URL; introspect: shown to INTROSPECT_URL; trusted-perimeter: shape and expiry only, for where nothing but a proxy that checks tokens itself can reach the api.',
    parse: parse.oneOf('jwks', 'introspect', 'trusted-perimeter'),
  }),
  jwksUrl: setting({
    name: 'JWKS_URL',
    roles: ['api'],
    defaultNote: 'required with AUTH_MODE=jwks',
    meaning: "URL of the token issuer's key set. RS256, ES256 and EdDSA are accepted.",
    parse: parse.anyUrl,
  }),
  introspectUrl: setting({
    name: 'INTROSPECT_URL',
    roles: ['api'],
    defaultNote: 'required with AUTH_MODE=introspect',
    meaning:
      'URL of the token issuer that answers GET with the token as Bearer: 2xx when it is good. Redirects are not followed.',
    parse: parse.anyUrl,
  }),
  authIssuer: setting({
    name: 'AUTH_ISSUER',
    roles: ['api'],
    meaning: 'The iss that a token must have. Without it: any.',
    parse: parse.text,
  }),
  authAudience: setting({
    name: 'AUTH_AUDIENCE',
    roles: ['api'],
    meaning: 'The aud that a token must have. Without it: any.',
    parse: parse.text,
  }),
  authRbac: setting({
    name: 'AUTH_RBAC',
    roles: ['api'],
    default: 'false',
    meaning:
      "Whether Kubernetes is asked (SubjectAccessReview, the token's sub as user) when a token wants into another namespace than its own.",
    parse: parse.flag,
  }),
} as const;
