import type { Build } from './build.ts';
import { baseArgs, commonArgs, kanikoStep, pullArgs, RETRIES } from './build-kaniko.ts';
import { type BuildPod, caMount, loginMount, registryVolumes } from './build-steps.ts';
import type { FunctionSettings, KanikoSettings } from './settings.ts';

/** Where kaniko looks for a login, and what it leaves out of the image. */
const LOGIN_FOLDER = '/kaniko/.docker';

/**
 * Everything in one container, which has a cache in the registry, and whose install scripts can read the logins of
 * registry and object store: for installations that belong to those who write the functions.
 */
export function directPod(build: Build, settings: FunctionSettings, kaniko: KanikoSettings): BuildPod {
  const { builder, bucket } = settings;
  const args = [
    `--context=s3://${bucket}/${build.key}`,
    ...baseArgs(build),
    ...commonArgs(build, settings),
    '--cache=true',
    // What is written there, Kubernetes shows in the pod's status.
    '--digest-file=/dev/termination-log',
    `--push-retry=${RETRIES}`,
    ...(builder.insecureRegistry ? ['--insecure', '--skip-tls-verify'] : []),
    ...pullArgs(settings),
  ];
  const login = loginMount(builder, LOGIN_FOLDER);
  const env = [
    ...storeEnv(kaniko),
    ...(login.length === 0 ? [] : [{ name: 'DOCKER_CONFIG', value: LOGIN_FOLDER }]),
  ];
  return {
    containers: [kanikoStep(settings, kaniko, { args, env, volumeMounts: [...login, ...caMount(builder)] })],
    volumes: registryVolumes(builder),
  };
}

/** The store's keys, and where it is, by the names that the AWS SDK knows. */
function storeEnv({ storeSecret, storeRegion }: KanikoSettings): object[] {
  const stored = (name: string, more: object = {}): object => ({
    name,
    valueFrom: { secretKeyRef: { key: name, name: storeSecret, ...more } },
  });
  return [
    stored('AWS_ACCESS_KEY_ID'),
    stored('AWS_SECRET_ACCESS_KEY'),
    { name: 'AWS_REGION', value: storeRegion },
    // Absent for the store of AWS itself.
    stored('S3_ENDPOINT', { optional: true }),
    // Every store understands paths; with names of buckets as hosts many do not.
    { name: 'S3_FORCE_PATH_STYLE', value: 'true' },
  ];
}
