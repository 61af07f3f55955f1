import { request } from 'node:https';
import { z } from 'zod';
import { isSlessError, SlessError } from '../../errors.ts';
import type { DefinitionSight, InstallationSite } from '../../ports/installation-site.ts';
import type { Connection } from './connection.ts';

const versionSchema = z.object({ major: z.string(), minor: z.string() });
const schemaSchema = z.object({
  properties: z
    .object({ spec: z.object({ properties: z.record(z.string(), z.unknown()).default({}) }).optional() })
    .optional(),
});
const definitionSchema = z.object({
  spec: z.object({
    versions: z.array(
      z.object({
        name: z.string(),
        served: z.boolean(),
        storage: z.boolean(),
        schema: z.object({ openAPIV3Schema: schemaSchema }).optional(),
      }),
    ),
  }),
  status: z
    .object({ conditions: z.array(z.object({ type: z.string(), status: z.string() })).default([]) })
    .default({ conditions: [] }),
});
const reviewSchema = z.object({ status: z.object({ allowed: z.boolean() }) });
const podsSchema = z.object({
  items: z.array(
    z.object({
      spec: z.object({
        serviceAccountName: z.string().default('default'),
        containers: z.array(
          z.object({
            image: z.string(),
            command: z.array(z.string()).default([]),
            args: z.array(z.string()).default([]),
          }),
        ),
      }),
      status: z
        .object({ conditions: z.array(z.object({ type: z.string(), status: z.string() })).default([]) })
        .default({ conditions: [] }),
    }),
  ),
});

type Conditions = readonly { readonly type: string; readonly status: string }[];

/** The cluster as the preflight looks at it, through a real API server. */
export function createKubernetesInstallationSite({
  connection,
}: {
  readonly connection: Pick<Connection, 'request'>;
}): InstallationSite {
  const ask = connection.request;
  return {
    version: async () => {
      const { major, minor } = versionSchema.parse(await ask({ method: 'GET', path: '/version' }));
      // Some providers write `31+`.
      return { major: Number.parseInt(major, 10), minor: Number.parseInt(minor, 10) };
    },
    definition: async (name) => {
      const path = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${name}`;
      try {
        return sight(definitionSchema.parse(await ask({ method: 'GET', path })));
      } catch (error) {
        if (isSlessError(error, 'NotFound')) return undefined;
        throw error;
      }
    },
    allows: async ({ namespace, name }, right) => {
      const [resource, subresource] = right.resource.split('/');
      const { group, verb } = right;
      const attributes = { group, verb, resource, ...(subresource === undefined ? {} : { subresource }) };
      const body = {
        apiVersion: 'authorization.k8s.io/v1',
        kind: 'SubjectAccessReview',
        spec: {
          user: `system:serviceaccount:${namespace}:${name}`,
          groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'],
          resourceAttributes: { ...attributes, ...(right.name === undefined ? {} : { name: right.name }) },
        },
      };
      const path = '/apis/authorization.k8s.io/v1/subjectaccessreviews';
      return reviewSchema.parse(await ask({ method: 'POST', path, body })).status.allowed;
    },
    podsOf: async ({ namespace, name }) => {
      const path = `/api/v1/namespaces/${namespace}/pods`;
      const { items } = podsSchema.parse(await ask({ method: 'GET', path }));
      return items
        .filter(({ spec }) => spec.serviceAccountName === name)
        .map(({ spec, status }) => {
          const [{ image, command, args } = { image: '', command: [], args: [] }] = spec.containers;
          return { image, args: [...command, ...args], ready: holds(status.conditions, 'Ready') };
        });
    },
    reach,
  };
}

function sight({ spec, status }: z.infer<typeof definitionSchema>): DefinitionSight {
  const stored = spec.versions.find(({ storage }) => storage)?.schema?.openAPIV3Schema.properties?.spec;
  return {
    versions: spec.versions.filter(({ served }) => served).map(({ name }) => name),
    established: holds(status.conditions, 'Established'),
    specFields: Object.keys(stored?.properties ?? {}),
  };
}

function holds(conditions: Conditions, type: string): boolean {
  return conditions.some((condition) => condition.type === type && condition.status === 'True');
}

const REACH_MS = 5_000;

async function reach(url: string, authorities: string): Promise<void> {
  const status = await new Promise<number>((resolve, reject) => {
    const options = { ca: authorities, timeout: REACH_MS, agent: false } as const;
    const asked = request(url, options, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    asked.on('error', reject);
    asked.on('timeout', () => asked.destroy(new Error(`no answer within ${REACH_MS / 1000} s`)));
    asked.end();
  });
  if (status !== 200) throw new SlessError('Unavailable', `it answered ${status}`);
}
