import { formatTime } from '../../src/resources/kube/time.ts';
import { settle } from './loop.ts';
import { childOf, DIGEST, edit, idOf, key, type World } from './world.ts';

/** Changes a child's status, and its annotations, as a controller or the reporter would. */
export function report(
  of: World,
  kind: string,
  status: object,
  annotations: Record<string, string> = {},
): void {
  const child = childOf(of, kind);
  if (child === undefined) throw new Error(`there is no ${kind}`);
  const metadata = { ...child.metadata, annotations: { ...child.metadata.annotations, ...annotations } };
  of.children.set(idOf(child), { ...child, metadata, status });
}

/** The build Job ends well; with `none`, without a word about its digest. */
export function finishBuild(of: World, digest: string = DIGEST): void {
  const annotations: Record<string, string> =
    digest === 'none' ? {} : { 'sless.dev/report': JSON.stringify({ digest }) };
  const conditions = [{ type: 'Complete', status: 'True' }];
  report(of, 'Job', { completionTime: formatTime(of.now), conditions }, annotations);
}

export function failBuild(
  of: World,
  condition: object = { reason: 'BackoffLimitExceeded', message: 'no luck' },
): void {
  report(of, 'Job', { conditions: [{ type: 'Failed', status: 'True', ...condition }] });
}

/** All pods that the Deployment wants are there and ready. */
export function rollOut(of: World): void {
  const deployment = childOf(of, 'Deployment');
  const { replicas } = (deployment?.spec ?? { replicas: 0 }) as { replicas: number };
  report(of, 'Deployment', {
    observedGeneration: deployment?.metadata.generation,
    ...(replicas === 0
      ? {}
      : { replicas, updatedReplicas: replicas, readyReplicas: replicas, availableReplicas: replicas }),
    conditions: [{ type: 'Progressing', status: 'True', reason: 'NewReplicaSetAvailable' }],
  });
}

/** Builds and deploys a version of the code, to the end. */
export function deploy(
  of: World,
  version: number,
  digest = `sha256:${String(version).repeat(64).slice(0, 64)}`,
): void {
  edit(of, { s3Key: key(version) });
  settle(of);
  finishBuild(of, digest);
  settle(of);
  rollOut(of);
  settle(of);
}
