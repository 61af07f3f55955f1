import type { ClusterEvent } from '../../ports/cluster.ts';
import { KINDS } from '../../resources/kube/kinds.ts';
import type { KubeObject } from '../../resources/kube/object.ts';
import type { PodDeps } from '../pod/pod-deps.ts';
import { asDeployment } from './deployment-spec.ts';
import { ManagedDeployment } from './managed.ts';

/** Everything that runs for Deployments. */
export interface Deployments {
  /** Whether all that is wanted runs, or cannot. */
  settled(): boolean;
  /** Ends all processes; each gets so many milliseconds after its SIGTERM. The Pods stay, for the next start to take up. */
  stop(graceMs: number): Promise<void>;
}

/** Stands in for the Deployment controller and the kubelet: runs the pods of every Deployment in the cluster. */
export function runDeployments(deps: PodDeps): Deployments {
  const { cluster } = deps;
  const managed = new Map<string, ManagedDeployment>();
  const ending = new Set<ManagedDeployment>();
  let known = false;

  const drop = (key: string): void => {
    const gone = managed.get(key);
    if (gone === undefined) return;
    managed.delete(key);
    ending.add(gone);
    void gone.stop().then(() => ending.delete(gone));
  };
  const apply = (object: KubeObject): void => {
    const key = keyOf(object);
    const deployment = asDeployment(object);
    if (managed.get(key)?.uid !== object.metadata.uid) drop(key); // made again under its old name
    const existing = managed.get(key);
    if (existing === undefined) managed.set(key, new ManagedDeployment(deps, deployment));
    else existing.update(deployment);
  };
  const onDeployment = (event: ClusterEvent): void => {
    if (event.type === 'applied') apply(event.object);
    if (event.type === 'deleted') drop(keyOf(event.object));
    if (event.type !== 'synced') return;
    const keys = new Set(event.objects.map(keyOf));
    for (const key of managed.keys()) if (!keys.has(key)) drop(key);
    for (const object of event.objects) apply(object);
    known = true;
  };
  const onPod = (event: ClusterEvent): void => {
    if (event.type !== 'deleted') return;
    for (const deployment of managed.values()) deployment.podGone(event.object.metadata.name);
  };
  const onSecret = (event: ClusterEvent): void => {
    if (event.type === 'applied') for (const deployment of managed.values()) deployment.poke();
  };
  const watches = [
    cluster.watch({ kind: KINDS.Deployment }, onDeployment),
    cluster.watch({ kind: KINDS.Pod }, onPod),
    cluster.watch({ kind: KINDS.Secret }, onSecret),
  ];
  return {
    settled: () => known && [...managed.values()].every((deployment) => deployment.settled),
    stop: async (graceMs) => {
      for (const watch of watches) watch.close();
      // What was ending in its own time is hurried along.
      await Promise.all([
        ...[...managed.values()].map((deployment) => deployment.stop({ graceMs, keep: true })),
        ...[...ending].map((deployment) => deployment.stop({ graceMs })),
      ]);
    },
  };
}

const keyOf = ({ metadata }: KubeObject): string => `${metadata.namespace ?? ''}/${metadata.name}`;
