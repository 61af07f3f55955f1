import { buildJob } from '../../src/resources/function/build-job.ts';
import { buildDeployment } from '../../src/resources/function/deployment.ts';
import type { Server } from '../../src/resources/function/server.ts';
import { buildService } from '../../src/resources/function/service.ts';
import type { FunctionSettings, KanikoSettings } from '../../src/resources/function/settings.ts';
import type { KubeObject } from '../../src/resources/kube/object.ts';
import { FUNCTION_SETTINGS } from './settings.ts';
import { key } from './world.ts';

const image = `registry.local:5000/sless/team/hello@sha256:${'0123456789abcdef'.repeat(4)}`;
const runtimeImage = 'registry.local:5000/sless-runtime-python3.11:v1.0.0';

const PLAIN: Server = {
  namespace: 'team',
  name: 'hello',
  version: { key: key(1), image, runtimeImage, builtAt: '2026-01-02T03:04:05Z', rebuild: undefined },
  replicas: 1,
  entrypoint: 'handler.handle',
  env: {},
  secrets: [],
  resources: { requests: { cpu: '50m', memory: '64Mi' }, limits: { cpu: '1', memory: '256Mi' } },
  timeoutSeconds: 60,
  concurrency: 100,
  restart: undefined,
};

const FULL: Server = {
  ...PLAIN,
  version: { ...PLAIN.version, rebuild: 'r1' },
  replicas: 0,
  env: { ZED: '$(HOME)', EMPTY: '', QUOTED: '"\'\n😀' },
  secrets: ['fn-database', 'fn-api'],
  timeoutSeconds: 3600,
  restart: '2026-01-02T03:04:05Z',
};

const BUILD = {
  namespace: 'team',
  name: 'hello',
  job: 'hello-b-0123456789abcdef',
  key: key(1),
  runtimeImage,
  image: 'registry.local:5000/sless/team/hello:0123456789abcdef',
  rebuild: undefined,
  timeoutSeconds: 300,
};

const PRIVATE = {
  ...FUNCTION_SETTINGS,
  pullSecret: 'sless-pull',
  builder: {
    ...FUNCTION_SETTINGS.builder,
    insecureRegistry: false,
    pushSecret: 'sless-push',
    serviceAccount: 'sless-builder',
    registryCa: '-----BEGIN CERTIFICATE-----\nMII\n-----END CERTIFICATE-----\n',
  },
};

const KANIKO = { image: 'kaniko:v1.24.0', storeSecret: 'sless-s3', storeRegion: 'eu-north-1' };
const withKaniko = (settings: FunctionSettings, kaniko: Partial<KanikoSettings>): FunctionSettings => ({
  ...settings,
  builder: { ...settings.builder, kaniko: { ...KANIKO, mode: 'isolated', ...kaniko } },
});

/** Every shape of child that the hook of a Function emits, by name. */
export const CHILDREN: Readonly<Record<string, KubeObject>> = {
  deployment: buildDeployment(PLAIN, FUNCTION_SETTINGS),
  'deployment-full': buildDeployment(FULL, PRIVATE),
  service: buildService(PLAIN),
  'job-append': buildJob({ ...BUILD, strategy: 'append' }, FUNCTION_SETTINGS),
  'job-append-private': buildJob({ ...BUILD, strategy: 'append', rebuild: 'r1' }, PRIVATE),
  'job-isolated': buildJob({ ...BUILD, strategy: 'dockerfile' }, FUNCTION_SETTINGS),
  'job-isolated-private': buildJob(
    { ...BUILD, strategy: 'dockerfile', rebuild: 'r1' },
    withKaniko(PRIVATE, { cacheClaim: 'sless-cache' }),
  ),
  'job-direct': buildJob(
    { ...BUILD, strategy: 'dockerfile' },
    withKaniko(FUNCTION_SETTINGS, { mode: 'direct' }),
  ),
  'job-direct-private': buildJob(
    { ...BUILD, strategy: 'dockerfile' },
    withKaniko(PRIVATE, { mode: 'direct', cacheClaim: 'unused' }),
  ),
};
