import { BUILD_SETTINGS } from './build-settings.ts';
import * as parse from './parse.ts';
import { setting } from './setting.ts';

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace'] as const;

/**
 * Every setting, by its name in `Config`. `docs/settings.md` is generated from this table; nothing else reads the
 * environment. A mode or a builder is listed when it works, not before.
 */
export const SETTINGS = {
  port: setting({
    name: 'PORT',
    roles: ['api', 'proxy', 'local'],
    default: '8080',
    meaning: 'Port of the service.',
    parse: parse.port,
  }),
  metricsPort: setting({
    name: 'METRICS_PORT',
    roles: ['operator', 'api', 'proxy', 'local'],
    default: '9090',
    defaultNote: '9090; in local mode PORT + 1',
    meaning: 'Port of the Prometheus metrics.',
    parse: parse.port,
  }),
  internalPort: setting({
    name: 'INTERNAL_PORT',
    roles: ['api'],
    default: '8082',
    meaning: 'Port of the routes for build pods. It never belongs in an Ingress.',
    parse: parse.port,
  }),
  operatorPort: setting({
    name: 'OPERATOR_PORT',
    roles: ['operator'],
    default: '8443',
    meaning: 'Port of the webhooks that Metacontroller calls.',
    parse: parse.port,
  }),
  tlsCertFile: setting({
    name: 'TLS_CERT_FILE',
    roles: ['operator'],
    meaning: 'File with the certificate chain (PEM) of the webhooks. Without it they speak plain HTTP.',
    parse: parse.text,
  }),
  tlsKeyFile: setting({
    name: 'TLS_KEY_FILE',
    roles: ['operator'],
    meaning: 'File with the private key (PEM) of that certificate.',
    parse: parse.text,
  }),
  externalUrl: setting({
    name: 'EXTERNAL_URL',
    roles: ['operator', 'api', 'proxy', 'local'],
    required: ['operator', 'api'],
    defaultNote: 'in local mode http://127.0.0.1:PORT',
    meaning: 'URL under which users reach this installation.',
    parse: parse.baseUrl,
  }),
  fnHost: setting({
    name: 'FN_HOST',
    roles: ['operator', 'proxy'],
    meaning:
      'Host that serves functions and nothing else, so that their pages are strangers to api and console.',
    parse: parse.hostName,
  }),
  fnDomain: setting({
    name: 'FN_DOMAIN',
    roles: ['operator', 'proxy'],
    meaning: 'Domain of a wildcard host: functions answer at {function}--{namespace}.FN_DOMAIN.',
    parse: parse.hostName,
  }),
  fnMaxBody: setting({
    name: 'FN_MAX_BODY',
    roles: ['proxy', 'local'],
    default: '128Mi',
    meaning: 'The largest request body that is passed on to a function.',
    parse: parse.bytes,
  }),
  trustedProxies: setting({
    name: 'TRUSTED_PROXIES',
    roles: ['api', 'proxy', 'local'],
    meaning:
      'Addresses and CIDR blocks whose X-Forwarded-* and X-Request-Id are believed, separated by commas.',
    parse: parse.addressList,
  }),
  authMode: setting({
    name: 'AUTH_MODE',
    roles: ['api'],
    default: 'jwks',
    meaning: 'How tokens are checked: jwks = signature against the key set at JWKS_URL.',
    parse: parse.oneOf('jwks'),
  }),
  jwksUrl: setting({
    name: 'JWKS_URL',
    roles: ['api'],
    required: ['api'],
    meaning: "URL of the token issuer's key set. RS256, ES256 and EdDSA are accepted.",
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
  uploadsPerTenant: setting({
    name: 'UPLOADS_PER_TENANT',
    roles: ['api', 'local'],
    default: '4',
    meaning: 'Uploads of one tenant at once; more are answered with 429.',
    parse: parse.count,
  }),
  uploadsTotal: setting({
    name: 'UPLOADS_TOTAL',
    roles: ['api', 'local'],
    default: '32',
    meaning: 'Uploads of all tenants at once. Each takes up to 64 MiB of temporary disk.',
    parse: parse.count,
  }),
  ...BUILD_SETTINGS,
  s3Endpoint: setting({
    name: 'S3_ENDPOINT',
    roles: ['operator', 'api'],
    defaultNote: "AWS's own",
    meaning: 'URL of the object store.',
    parse: parse.baseUrl,
  }),
  s3Bucket: setting({
    name: 'S3_BUCKET',
    roles: ['operator', 'api'],
    required: ['operator', 'api'],
    meaning: 'Bucket of uploads and build contexts.',
    parse: parse.text,
  }),
  s3Region: setting({
    name: 'S3_REGION',
    roles: ['operator', 'api'],
    default: 'us-east-1',
    meaning: 'Region of the bucket.',
    parse: parse.text,
  }),
  s3AccessKey: setting({
    name: 'S3_ACCESS_KEY',
    roles: ['api'],
    secret: true,
    defaultNote: 'what the AWS libraries find',
    meaning: 'Access key of the object store. Comes with S3_SECRET_KEY.',
    parse: parse.text,
  }),
  s3SecretKey: setting({
    name: 'S3_SECRET_KEY',
    roles: ['api'],
    secret: true,
    meaning: 'Secret key of the object store.',
    parse: parse.text,
  }),
  logLevel: setting({
    name: 'LOG_LEVEL',
    roles: ['operator', 'api', 'proxy', 'local'],
    default: 'info',
    meaning: `The least important lines that are logged: ${LOG_LEVELS.join(', ')}.`,
    parse: parse.oneOf(...LOG_LEVELS),
  }),
  dir: setting({
    name: 'SLESS_DIR',
    roles: ['local'],
    default: '.sless',
    meaning: 'Folder in which local mode keeps its state.',
    parse: parse.text,
  }),
} as const;
