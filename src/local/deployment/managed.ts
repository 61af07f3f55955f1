import { isDeepStrictEqual } from 'node:util';
import { isSlessError } from '../../errors.ts';
import { everything } from '../../ports/everything.ts';
import { KINDS } from '../../resources/kube/kinds.ts';
import type { KubeObject } from '../../resources/kube/object.ts';
import { createLatest, type Latest } from '../latest.ts';
import { LocalPod, type PodStop } from '../pod/pod.ts';
import type { PodDeps } from '../pod/pod-deps.ts';
import { podObject, TEMPLATE_HASH } from '../pod/pod-object.ts';
import type { Deployment, DeploymentStatus } from './deployment-spec.ts';
import { deploymentStatus, isComplete, lastProgress, MAX_LOCAL_PODS } from './deployment-status.ts';
import { nextStep, podCount, type RolloutPod } from './rollout.ts';
import { templateHash } from './template-hash.ts';

interface Member extends RolloutPod {
  readonly pod: LocalPod;
}

/** A merge patch must say what is no longer there. */
const NO_COUNTS = {
  replicas: null,
  updatedReplicas: null,
  readyReplicas: null,
  availableReplicas: null,
  unavailableReplicas: null,
};

const RETRY_MS = 200;

/** One Deployment and its pods: keeps as many running as it wants, of its newest template. */
export class ManagedDeployment {
  readonly uid: string;
  readonly #deps: PodDeps;
  /** With the hash of the template that each was made from. */
  readonly #pods = new Map<LocalPod, string>();
  readonly #latest: Latest;
  #deployment: Deployment;
  #hash: string;
  #stopped = false;
  #adopted = false;
  #progress = '';
  #progressAt: number;
  #deadline: NodeJS.Timeout | undefined;
  #written: DeploymentStatus | undefined;

  constructor(deps: PodDeps, deployment: Deployment) {
    this.uid = deployment.metadata.uid ?? '';
    this.#deps = deps;
    this.#deployment = deployment;
    this.#hash = templateHash(deployment.spec.template);
    this.#progressAt = lastProgress(deployment, this.#hash) ?? deps.clock.now();
    this.#latest = createLatest(() => this.#reconcile(), {
      retryMs: RETRY_MS,
      onError: (error) => {
        if (isSlessError(error, 'NotFound')) return; // deleted meanwhile; a watch tells our owner
        deps.logger.warn({ err: error, deployment: deployment.metadata.name }, 'a Deployment is held up');
      },
    });
    this.#latest.request();
  }

  /** Takes up the Deployment as it is now. */
  update(deployment: Deployment): void {
    this.#deployment = deployment;
    this.#hash = templateHash(deployment.spec.template);
    this.#written = undefined;
    this.#latest.request();
  }

  /** A Pod's object is gone from the cluster: unless it was ending anyway, its process goes too. */
  podGone(name: string): void {
    for (const pod of this.#pods.keys()) if (pod.name === name && !pod.ending) void this.#stopPod(pod);
  }

  /** Something that pods may be waiting for has changed. */
  poke(): void {
    for (const pod of this.#pods.keys()) pod.poke();
  }

  /** Whether there is nothing left to wait for: the rollout is over, or stuck, and what serves meanwhile does. */
  get settled(): boolean {
    const pods = this.#members();
    const rollout = { deployment: this.#deployment, hash: this.#hash, pods };
    const stuck = pods.some(({ pod }) => pod.failing) && pods.every(({ pod }) => pod.ready || pod.failing);
    return isComplete(rollout) || stuck;
  }

  /** Ends all pods, and starts none any more. */
  async stop(how?: PodStop): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#deadline);
    await this.#latest.idle();
    await Promise.all([...this.#pods.keys()].map((pod) => this.#stopPod(pod, how)));
  }

  /** All but those that are ending. */
  #members(): Member[] {
    return [...this.#pods]
      .filter(([pod]) => !pod.ending)
      .map(([pod, hash]) => ({ pod, hash, ready: pod.ready, createdAt: pod.createdAt }));
  }

  async #reconcile(): Promise<void> {
    if (!this.#adopted) await this.#adopt();
    if (this.#stopped) return;
    this.#roll();
    this.#noteProgress();
    await this.#report();
  }

  /**
   * Takes up the Pods that an earlier run has left. They are the one place where the templates of earlier versions stand, which serve
   * while the newest does not.
   */
  async #adopt(): Promise<void> {
    const { namespace = '' } = this.#deployment.metadata;
    const found = await everything(this.#deps.cluster, { kind: KINDS.Pod, namespace });
    this.#adopted = true;
    if (this.#stopped) return;
    for (const pod of found.filter((pod) => ownerOf(pod) === this.uid)) this.#startPod(pod);
  }

  #roll(): void {
    const { strategy } = this.#deployment.spec;
    const replicas = Math.min(this.#deployment.spec.replicas, MAX_LOCAL_PODS);
    const { maxSurge, maxUnavailable } = strategy.rollingUpdate ?? { maxSurge: 0, maxUnavailable: replicas };
    const step = nextStep({
      hash: this.#hash,
      replicas,
      maxSurge: podCount(maxSurge, replicas, 'up'),
      maxUnavailable: podCount(maxUnavailable, replicas, 'down'),
      pods: this.#members(),
    });
    for (const { pod } of step.stop) void this.#stopPod(pod);
    for (let index = 0; index < step.start; index++)
      this.#startPod(podObject(this.#deployment, this.#deployment.spec.template, this.#hash));
  }

  #startPod(object: KubeObject): void {
    const pod = new LocalPod(this.#deps, object, () => this.#latest.request());
    this.#pods.set(pod, object.metadata.labels?.[TEMPLATE_HASH] ?? '');
    pod.start();
  }

  async #stopPod(pod: LocalPod, how?: PodStop): Promise<void> {
    try {
      await pod.stop(how);
    } catch (error) {
      this.#deps.logger.error({ err: error, pod: pod.name }, 'a pod could not be ended in order');
    }
    this.#pods.delete(pod);
  }

  /** The deadline counts from the last change of what is ready. */
  #noteProgress(): void {
    const pods = this.#members().map(({ hash, ready }) => `${hash} ${ready}`);
    const progress = [this.#hash, this.#deployment.spec.replicas, ...pods.sort()].join();
    if (progress === this.#progress) return;
    // What is seen first is where it begins; after a restart the time counts on.
    if (this.#progress !== '') this.#progressAt = this.#deps.clock.now();
    this.#progress = progress;
    clearTimeout(this.#deadline);
    const deadline = this.#progressAt + this.#deployment.spec.progressDeadlineSeconds * 1000;
    const left = Math.max(0, deadline - this.#deps.clock.now());
    this.#deadline = setTimeout(() => this.#latest.request(), left + 1).unref();
  }

  async #report(): Promise<void> {
    const deployment = this.#deployment;
    const status = deploymentStatus({
      deployment,
      hash: this.#hash,
      pods: this.#members(),
      progressAt: this.#progressAt,
      now: this.#deps.clock.now(),
    });
    if (isDeepStrictEqual(status, this.#written ?? deployment.status)) return;
    const { name, namespace = '' } = deployment.metadata;
    await this.#deps.cluster.patch(
      { kind: KINDS.Deployment, namespace, name },
      { status: { ...NO_COUNTS, ...status } },
      { subresource: 'status' },
    );
    if (deployment === this.#deployment) this.#written = status;
  }
}

function ownerOf({ metadata }: KubeObject): string | undefined {
  return metadata.ownerReferences?.find(({ controller }) => controller === true)?.uid;
}
