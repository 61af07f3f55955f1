import * as parse from './parse.ts';
import { setting } from './setting.ts';

/** The part of the table that is about images: where they lie, how they are built, what their containers get. */
export const BUILD_SETTINGS = {
  registryHost: setting({
    name: 'REGISTRY_HOST',
    roles: ['operator', 'api', 'gc', 'preflight'],
    required: ['operator', 'gc', 'preflight'],
    meaning:
      'Registry of the function images and the runtime images: host, port, maybe a path. The api looks at its start whether anyone may push there.',
    parse: parse.registry,
  }),
  registryInsecure: setting({
    name: 'REGISTRY_INSECURE',
    roles: ['operator', 'api', 'base', 'push', 'gc', 'preflight'],
    default: 'false',
    meaning: 'Whether that registry speaks plain HTTP or has a certificate that nobody signed.',
    parse: parse.flag,
  }),
  registryCaFile: setting({
    name: 'REGISTRY_CA_FILE',
    roles: ['operator', 'api', 'gc', 'preflight'],
    meaning:
      'File with the certificates (PEM) that sign the one of that registry, where the world does not know them. Builds get them; nodes must know them by themselves.',
    parse: parse.text,
  }),
  imageTemplate: setting({
    name: 'IMAGE_TEMPLATE',
    roles: ['operator', 'gc'],
    default: '{registry}/sless/{namespace}/{name}:{tag}',
    meaning: 'Name of a function image. Two functions must never come out at one name.',
    parse: parse.imageTemplate,
  }),
  runtimeImageTemplate: setting({
    name: 'RUNTIME_IMAGE_TEMPLATE',
    roles: ['operator', 'preflight'],
    default: '{registry}/{image}:{version}',
    meaning: "Name of a runtime's image, such as sless-runtime-python3.11.",
    parse: parse.runtimeImageTemplate,
  }),
  slessImage: setting({
    name: 'SLESS_IMAGE',
    roles: ['operator', 'preflight'],
    defaultNote: '`{REGISTRY_HOST}/sless:v{version}`',
    meaning: 'Image of sless itself; build pods fetch their context and push their image with it.',
    parse: parse.text,
  }),
  curlImage: setting({
    name: 'CURL_IMAGE',
    roles: ['operator'],
    default: 'curlimages/curl:8.5.0',
    meaning: 'Image with curl on its PATH; the pods of cron triggers call with it.',
    parse: parse.text,
  }),
  kanikoImage: setting({
    name: 'KANIKO_IMAGE',
    roles: ['operator'],
    meaning:
      'Image whose entrypoint is a kaniko executor. Without it functions with dependencies cannot be built.',
    parse: parse.text,
  }),
  buildMode: setting({
    name: 'BUILD_MODE',
    roles: ['operator', 'api'],
    default: 'isolated',
    meaning:
      'How kaniko builds. isolated: no step that runs install scripts holds a credential. direct: one step does all and its install scripts can read the logins of registry and object store; only where all functions are your own. It fills {image}/cache in the registry, which the collection of garbage never visits: let the registry expire it.',
    parse: parse.oneOf('isolated', 'direct'),
  }),
  buildS3Secret: setting({
    name: 'BUILD_S3_SECRET',
    roles: ['operator', 'api'],
    default: 'sless-s3',
    meaning:
      'For BUILD_MODE=direct: Secret with AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and, but for AWS itself, S3_ENDPOINT. The api copies it as it does PUSH_SECRET.',
    parse: parse.platformSecret,
  }),
  buildCacheClaim: setting({
    name: 'BUILD_CACHE_CLAIM',
    roles: ['operator'],
    meaning:
      "For BUILD_MODE=isolated: PersistentVolumeClaim in the tenant's namespace in which kaniko keeps layers. A build waits where it is absent.",
    parse: parse.objectName,
  }),
  internalUrl: setting({
    name: 'INTERNAL_URL',
    roles: ['operator'],
    default: 'http://sless-api.sless-system.svc:8082',
    meaning: "URL of the api's internal routes as build pods reach it.",
    parse: parse.baseUrl,
  }),
  buildServiceAccount: setting({
    name: 'BUILD_SERVICE_ACCOUNT',
    roles: ['operator'],
    default: 'sless-builder',
    meaning: "ServiceAccount of build pods, made in each tenant's namespace.",
    parse: parse.text,
  }),
  pushSecret: setting({
    name: 'PUSH_SECRET',
    roles: ['operator', 'api'],
    meaning:
      "Secret (dockerconfigjson) with which builds push, and pull the runtime images; no step that runs install scripts has it. The api copies it from SYSTEM_NAMESPACE into each tenant's namespace. Without it the registry must take pushes from anyone.",
    parse: parse.platformSecret,
  }),
  pullSecret: setting({
    name: 'PULL_SECRET',
    roles: ['operator', 'api'],
    meaning: 'Secret (dockerconfigjson) with which nodes pull; it is copied the same way.',
    parse: parse.platformSecret,
  }),
  functionRequests: setting({
    name: 'FUNCTION_REQUESTS',
    roles: ['operator'],
    default: 'cpu=50m,memory=64Mi',
    meaning: 'What a pod of a function is promised where its spec says nothing.',
    parse: parse.resources,
  }),
  functionLimits: setting({
    name: 'FUNCTION_LIMITS',
    roles: ['operator'],
    default: 'memory=256Mi',
    meaning: 'What it may use at most where its spec says nothing.',
    parse: parse.resources,
  }),
  buildRequests: setting({
    name: 'BUILD_REQUESTS',
    roles: ['operator'],
    default: 'cpu=100m,memory=128Mi,ephemeral-storage=128Mi',
    meaning: 'What each container of a build is promised.',
    parse: parse.resources,
  }),
  buildLimits: setting({
    name: 'BUILD_LIMITS',
    roles: ['operator'],
    default: 'memory=1Gi,ephemeral-storage=4Gi',
    meaning:
      'What it may use at most. Kaniko unpacks the runtime image and what is installed onto its own disk.',
    parse: parse.resources,
  }),
  buildVolumeSize: setting({
    name: 'BUILD_VOLUME_SIZE',
    roles: ['operator'],
    default: '4Gi',
    meaning: 'Room of a build for its context and its image. One that needs more is ImageTooLarge.',
    parse: parse.quantity,
  }),
} as const;
