import { ANNOTATIONS } from '../kube/labels.ts';
import { annotationOf, type KubeObject } from '../kube/object.ts';
import type { Server } from './server.ts';

/** Whether a part of a function's container, such as `env.GREETING`, `limits.cpu` or `secrets.fn-db`, was written by us. */
export type IsOwned = (part: string) => boolean;

/**
 * The variables, Secrets and amounts that we give a function's container. Others may add some of theirs (`kubectl set env`, a tool that restarts
 * what reads a changed Secret), and Metacontroller keeps those: what is not listed is neither compared nor answered as ours.
 */
export function ownedParts({
  env,
  secrets,
  resources,
}: Pick<Server, 'env' | 'secrets' | 'resources'>): string {
  const parts = Object.entries({ env, ...resources }).flatMap(([group, members]) =>
    Object.keys(members).map((name) => `${group}.${name}`),
  );
  return [...parts, ...secrets.map((name) => `secrets.${name}`)].sort().join(' ');
}

/** What a Deployment says of it. One of a release that did not say, or that was robbed of it, has everything of us. */
export function readOwned(deployment: KubeObject): IsOwned {
  const text = annotationOf(deployment, ANNOTATIONS.owned);
  if (text === undefined) return () => true;
  const parts = new Set(text.split(' '));
  return (part) => parts.has(part);
}
