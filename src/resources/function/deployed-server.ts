import { z } from 'zod';
import { ANNOTATIONS } from '../kube/labels.ts';
import type { KubeObject } from '../kube/object.ts';
import { type EnvVar, readEnvVars } from './env.ts';
import { readOwned } from './owned.ts';
import { functionSpecSchema } from './schema.ts';
import { PLATFORM_ENV, RESERVED_ENV, SERVER_CONTAINER, type Server } from './server.ts';
import { deployedVersion } from './version.ts';

const texts = z.record(z.string(), z.string());

const containerSchema = z.object({
  // A variable from elsewhere (`valueFrom`) is none of ours.
  env: z.array(
    z.object({ name: z.string(), value: z.string().optional(), valueFrom: z.unknown().optional() }),
  ),
  envFrom: z.array(z.object({ secretRef: z.object({ name: z.string() }).optional() })).default([]),
  resources: z.object({ requests: texts.default({}), limits: texts.default({}) }),
});

const deploymentSpec = z.object({
  replicas: z.int().min(0),
  template: z.object({
    metadata: z.object({ annotations: texts.default({}) }),
    spec: z.object({ containers: z.array(z.unknown()) }),
  }),
});

const digits = z
  .string()
  .regex(/^[0-9]{1,4}$/)
  .transform(Number);

/** The variables that settings are read back from: the same bounds as the spec's. */
const variables = z.object({
  [PLATFORM_ENV.entrypoint]: z.string().min(1),
  [PLATFORM_ENV.timeout]: digits.pipe(functionSpecSchema.shape.timeoutSeconds.unwrap()),
  [PLATFORM_ENV.concurrency]: digits.pipe(functionSpecSchema.shape.concurrency.unwrap()),
});

/** Whether it is the container of the function; others may have been put beside it, and are not looked into. */
const isOurs = (container: unknown): boolean =>
  (container as { readonly name?: unknown } | null)?.name === SERVER_CONTAINER;

/**
 * What a Deployment was made from; `undefined` when it is not one of ours or was altered beyond reading. Whoever may edit Deployments may
 * write nonsense into one, and nonsense that is read as a setting would be answered as one.
 */
export function readServer(deployment: KubeObject | undefined): Server | undefined {
  const version = deployedVersion(deployment);
  if (deployment === undefined || version === undefined) return undefined;
  const spec = deploymentSpec.safeParse(deployment.spec).data;
  const found = spec?.template.spec.containers.find(isOurs);
  const container = containerSchema.safeParse(found).data;
  if (spec === undefined || container === undefined) return undefined;
  const env = readEnvVars(container.env.filter(({ valueFrom }) => valueFrom === undefined) as EnvVar[]);
  const platform = variables.safeParse(env).data;
  if (platform === undefined) return undefined;
  const isOwned = readOwned(deployment);
  return {
    namespace: deployment.metadata.namespace ?? '',
    name: deployment.metadata.name,
    version,
    replicas: spec.replicas,
    entrypoint: platform[PLATFORM_ENV.entrypoint],
    env: picked(env, (name) => !RESERVED_ENV.test(name) && isOwned(`env.${name}`)),
    secrets: container.envFrom
      .flatMap(({ secretRef }) => secretRef?.name ?? [])
      .filter((name) => isOwned(`secrets.${name}`)),
    resources: {
      requests: picked(container.resources.requests, (name) => isOwned(`requests.${name}`)),
      limits: picked(container.resources.limits, (name) => isOwned(`limits.${name}`)),
    },
    timeoutSeconds: platform[PLATFORM_ENV.timeout],
    concurrency: platform[PLATFORM_ENV.concurrency],
    restart: spec.template.metadata.annotations[ANNOTATIONS.restart],
  };
}

function picked(
  members: Readonly<Record<string, string>>,
  holds: (name: string) => boolean,
): Record<string, string> {
  return Object.fromEntries(Object.entries(members).filter(([name]) => holds(name)));
}
