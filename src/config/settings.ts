import { AUTH_SETTINGS } from './auth-settings.ts';
import { BUILD_SETTINGS } from './build-settings.ts';
import { CONSOLE_SETTINGS } from './console-settings.ts';
import { EVENTS_SETTINGS } from './events-settings.ts';
import { FETCH_SETTINGS } from './fetch-settings.ts';
import { GC_SETTINGS } from './gc-settings.ts';
import { INSTALLATION_SETTINGS } from './installation-settings.ts';
import { INVOCATIONS_SETTINGS } from './invocations-settings.ts';
import { LIMIT_SETTINGS } from './limit-settings.ts';
import * as parse from './parse.ts';
import { PUSH_SETTINGS } from './push-settings.ts';
import { REVIEW_SETTINGS } from './review-settings.ts';
import { setting } from './setting.ts';
import { TENANT_SETTINGS } from './tenant-settings.ts';
import { TRACING_SETTINGS } from './tracing-settings.ts';

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace'] as const;

/**
 * Every setting, by its name in `Config`. `docs/settings.md` is generated from this table; nothing else reads the
 * environment. A mode or a builder is listed when it works, not before.
 */
export const SETTINGS = {
  port: setting({
    name: 'PORT',
    roles: ['api', 'proxy', 'dispatcher', 'local'],
    default: '8080',
    meaning: 'Port of the service.',
    parse: parse.port,
  }),
  metricsPort: setting({
    name: 'METRICS_PORT',
    roles: ['operator', 'api', 'proxy', 'dispatcher', 'local'],
    default: '9090',
    defaultNote: '9090; in local mode PORT + 1',
    meaning: 'Port of the Prometheus metrics.',
    parse: parse.port,
  }),
  internalPort: setting({
    name: 'INTERNAL_PORT',
    roles: ['operator', 'api'],
    default: '8082',
    meaning:
      "Port of the api's routes for build pods. It never belongs in an Ingress; network policies let build pods reach it.",
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
    roles: ['operator', 'api', 'local'],
    required: ['operator'],
    defaultNote: 'in local mode where it listens: `http://127.0.0.1:{PORT}`',
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
  fnUrl: setting({
    name: 'FN_URL',
    roles: ['operator'],
    defaultNote: '`https://{FN_HOST}`, and without that EXTERNAL_URL',
    meaning:
      'URL under which functions are reached, where it is another: behind a port-forward, or without TLS.',
    parse: parse.baseUrl,
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
  ...AUTH_SETTINGS,
  ...CONSOLE_SETTINGS,
  uploadsPerTenant: setting({
    name: 'UPLOADS_PER_TENANT',
    roles: ['api', 'local'],
    default: '4',
    meaning:
      'Uploads of one tenant at once. Four times as many more wait for their turn, ten seconds at most; beyond that the answer is 429, which says when to come again.',
    parse: parse.count,
  }),
  uploadsTotal: setting({
    name: 'UPLOADS_TOTAL',
    roles: ['api', 'local'],
    default: '32',
    meaning: 'Uploads of all tenants at once. Each takes up to 64 MiB of temporary disk.',
    parse: parse.count,
  }),
  uploadFolder: setting({
    name: 'UPLOAD_FOLDER',
    roles: ['api'],
    defaultNote: "`sless-uploads-{PORT}` in the system's temporary folder",
    meaning:
      'Folder for uploads while they are looked at. It belongs to one process, which empties it when it starts.',
    parse: parse.text,
  }),
  ...LIMIT_SETTINGS,
  ...REVIEW_SETTINGS,
  ...BUILD_SETTINGS,
  ...TENANT_SETTINGS,
  s3Endpoint: setting({
    name: 'S3_ENDPOINT',
    roles: ['operator', 'api', 'gc', 'preflight'],
    defaultNote: "AWS's own",
    meaning: 'URL of the object store.',
    parse: parse.baseUrl,
  }),
  s3Bucket: setting({
    name: 'S3_BUCKET',
    roles: ['operator', 'api', 'gc', 'preflight'],
    required: ['operator', 'api', 'gc', 'preflight'],
    meaning: 'Bucket of uploads and build contexts.',
    parse: parse.text,
  }),
  s3Region: setting({
    name: 'S3_REGION',
    roles: ['operator', 'api', 'gc', 'preflight'],
    default: 'us-east-1',
    meaning: 'Region of the bucket.',
    parse: parse.text,
  }),
  s3AccessKey: setting({
    name: 'S3_ACCESS_KEY',
    roles: ['api', 'gc', 'preflight'],
    secret: true,
    defaultNote: 'what the AWS libraries find',
    meaning: 'Access key of the object store. Comes with S3_SECRET_KEY.',
    parse: parse.text,
  }),
  s3SecretKey: setting({
    name: 'S3_SECRET_KEY',
    roles: ['api', 'gc', 'preflight'],
    secret: true,
    meaning: 'Secret key of the object store.',
    parse: parse.text,
  }),
  s3AccessKeyFile: setting({
    name: 'S3_ACCESS_KEY_FILE',
    roles: ['api', 'gc', 'preflight'],
    meaning:
      'File with the access key, in place of S3_ACCESS_KEY. It is read again, so that keys may be rotated.',
    parse: parse.text,
  }),
  s3SecretKeyFile: setting({
    name: 'S3_SECRET_KEY_FILE',
    roles: ['api', 'gc', 'preflight'],
    meaning: 'File with the secret key.',
    parse: parse.text,
  }),
  kubeconfig: setting({
    name: 'KUBECONFIG',
    roles: ['api', 'proxy', 'dispatcher', 'gc', 'rebuild', 'certificate', 'preflight'],
    defaultNote: "in a pod its service account's credentials",
    meaning: 'Kubeconfig file with which the API server is reached from outside of the cluster.',
    parse: parse.text,
  }),
  kubernetesHost: setting({
    name: 'KUBERNETES_SERVICE_HOST',
    roles: ['api', 'proxy', 'dispatcher', 'gc', 'rebuild', 'certificate', 'preflight'],
    meaning: 'Set by Kubernetes in every pod: address of the API server.',
    parse: parse.text,
  }),
  kubernetesPort: setting({
    name: 'KUBERNETES_SERVICE_PORT',
    roles: ['api', 'proxy', 'dispatcher', 'gc', 'rebuild', 'certificate', 'preflight'],
    default: '443',
    meaning: 'Set by Kubernetes in every pod: port of the API server.',
    parse: parse.port,
  }),
  ...EVENTS_SETTINGS,
  ...INVOCATIONS_SETTINGS,
  ...TRACING_SETTINGS,
  ...FETCH_SETTINGS,
  ...INSTALLATION_SETTINGS,
  ...PUSH_SETTINGS,
  ...GC_SETTINGS,
  drainDelay: setting({
    name: 'DRAIN_DELAY',
    roles: ['operator', 'api', 'proxy'],
    // EndpointSlices reach every node and most ingress controllers within a second or two of the signal.
    default: '5s',
    meaning:
      'How long a role that is told to end still takes new connections, with a failing /readyz, so that nothing is sent to it any more when it stops. What is under way then may take until 28 s after the signal. A load balancer that asks /readyz itself needs as long as it takes to believe it.',
    // What is left of the 28 s is enough for most calls.
    parse: parse.duration(20_000),
  }),
  logLevel: setting({
    name: 'LOG_LEVEL',
    roles: ['operator', 'api', 'proxy', 'dispatcher', 'gc', 'rebuild', 'certificate', 'local'],
    default: 'info',
    // Whoever looks at a terminal wants to see what goes wrong; all of it only who asks.
    roleDefaults: { local: 'warn' },
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
