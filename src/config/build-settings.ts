import * as parse from './parse.ts';
import { setting } from './setting.ts';

/** The part of the table that is about images: where they lie, how they are built, what their containers get. */
export const BUILD_SETTINGS = {
  registryHost: setting({
    name: 'REGISTRY_HOST',
    roles: ['operator', 'api'],
    required: ['operator'],
    meaning:
      'Registry of the function images and the runtime images: host, port, maybe a path. The api looks at its start whether anyone may push there.',
    parse: parse.registry,
  }),
  registryInsecure: setting({
    name: 'REGISTRY_INSECURE',
    roles: ['operator', 'api'],
    default: 'false',
    meaning: 'Whether that registry speaks plain HTTP or has a certificate that nobody signed.',
    parse: parse.flag,
  }),
  imageTemplate: setting({
    name: 'IMAGE_TEMPLATE',
    roles: ['operator'],
    default: '{registry}/sless/{namespace}/{name}:{tag}',
    meaning: 'Name of a function image. Two functions must never come out at one name.',
    parse: parse.imageTemplate,
  }),
  runtimeImageTemplate: setting({
    name: 'RUNTIME_IMAGE_TEMPLATE',
    roles: ['operator'],
    default: '{registry}/{image}:{version}',
    meaning: "Name of a runtime's image, such as sless-runtime-python3.11.",
    parse: parse.runtimeImageTemplate,
  }),
  slessImage: setting({
    name: 'SLESS_IMAGE',
    roles: ['operator'],
    defaultNote: '`{REGISTRY_HOST}/sless:v{version}`',
    meaning: 'Image of sless itself; build pods fetch their context with it.',
    parse: parse.text,
  }),
  craneImage: setting({
    name: 'CRANE_IMAGE',
    roles: ['operator'],
    default: 'gcr.io/go-containerregistry/crane:v0.22.1',
    meaning: 'Image whose entrypoint is crane; it appends layers and pushes.',
    parse: parse.text,
  }),
  kanikoImage: setting({
    name: 'KANIKO_IMAGE',
    roles: ['operator'],
    meaning:
      'Image whose entrypoint is a kaniko executor. Without it functions with dependencies cannot be built.',
    parse: parse.text,
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
    defaultNote: '`default`',
    meaning: "ServiceAccount of build pods in the tenant's namespace.",
    parse: parse.text,
  }),
  pushSecret: setting({
    name: 'PUSH_SECRET',
    roles: ['operator'],
    meaning: "Secret (dockerconfigjson) in the tenant's namespace with which builds push.",
    parse: parse.text,
  }),
  pullSecret: setting({
    name: 'PULL_SECRET',
    roles: ['operator'],
    meaning: "Secret (dockerconfigjson) in the tenant's namespace with which nodes pull.",
    parse: parse.text,
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
    default: 'cpu=100m,memory=128Mi',
    meaning: 'What each container of a build is promised.',
    parse: parse.resources,
  }),
  buildLimits: setting({
    name: 'BUILD_LIMITS',
    roles: ['operator'],
    default: 'memory=1Gi',
    meaning: 'What it may use at most.',
    parse: parse.resources,
  }),
} as const;
