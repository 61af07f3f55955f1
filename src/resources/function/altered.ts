import { isDeepStrictEqual } from 'node:util';
import type { KubeObject } from '../kube/object.ts';
import { readServer } from './deployed-server.ts';
import type { Server } from './server.ts';

/** What of a Deployment is not as it is wanted, such as `replicas` or `env.GREETING`; of all that it is made from, and nothing else. */
export function alteredParts(deployment: KubeObject | undefined, server: Server): string[] {
  const found = readServer(deployment);
  if (found === undefined) return ['its container'];
  const [is, wanted] = [partsOf(found), partsOf(server)];
  const names = new Set([...Object.keys(is), ...Object.keys(wanted)]);
  return [...names].filter((name) => !isDeepStrictEqual(is[name], wanted[name])).sort();
}

function partsOf(server: Server): Readonly<Record<string, unknown>> {
  const { env, resources, version, ...rest } = server;
  return {
    ...rest,
    image: version,
    ...named('env', env),
    ...named('limits', resources.limits),
    ...named('requests', resources.requests),
  };
}

const named = (group: string, members: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(members).map(([name, value]) => [`${group}.${name}`, value]));

/** The Deployment and its parts that are not as they are wanted, as one text; nothing where there is none, or nobody to compare with. */
export function alteredChildren(deployment: KubeObject | undefined, server: Server | undefined): string[] {
  if (deployment === undefined || server === undefined) return [];
  const parts = alteredParts(deployment, server);
  return parts.length === 0 ? [] : [`Deployment ${deployment.metadata.name} (${parts.join(', ')})`];
}
