/** A pod of a Deployment as a rollout sees it. */
export interface RolloutPod {
  /** The hash of the template that it was made from. */
  readonly hash: string;
  readonly ready: boolean;
  readonly createdAt: number;
}

interface Rollout<P extends RolloutPod> {
  /** The template's hash now. */
  readonly hash: string;
  readonly replicas: number;
  /** How many more than that there may be. */
  readonly maxSurge: number;
  /** How many fewer may be ready. */
  readonly maxUnavailable: number;
  /** All but those that are ending. */
  readonly pods: readonly P[];
}

/** What to do next. */
export interface RolloutStep<P> {
  readonly start: number;
  readonly stop: readonly P[];
}

/**
 * The next step of a rolling update, as Kubernetes' two controllers take it together: start what is new within the surge; end
 * surplus new pods, then old ones that are not ready, then ready old ones while enough stay ready. Of the old ones that are not
 * ready so many are kept as the wanted number lacks, since new pods that are not ready do not count: after a start the last good
 * version is one of them, for a moment.
 */
export function nextStep<P extends RolloutPod>(rollout: Rollout<P>): RolloutStep<P> {
  const { hash, replicas, pods } = rollout;
  const current = pods.filter((pod) => pod.hash === hash);
  const old = pods.filter((pod) => pod.hash !== hash);
  const surplus = current.toSorted(leastWantedFirst).slice(0, Math.max(0, current.length - replicas));
  const wanted = current.filter((pod) => !surplus.includes(pod));
  const room = replicas + rollout.maxSurge - pods.length;
  const ready = pods.filter((pod) => pod.ready && !surplus.includes(pod)).length;
  const least = Math.max(0, replicas - rollout.maxUnavailable);
  const spare = Math.max(0, ready - least);
  const useless = Math.max(0, old.length + wanted.filter((pod) => pod.ready).length - least);
  const brokenOld = old.filter((pod) => !pod.ready).toSorted(leastWantedFirst);
  const readyOld = old.filter((pod) => pod.ready).toSorted((a, b) => a.createdAt - b.createdAt);
  return {
    start: Math.max(0, Math.min(replicas - current.length, room)),
    stop: [...surplus, ...brokenOld.slice(0, useless), ...readyOld.slice(0, spare)],
  };
}

/** Not ready before ready, then the youngest. */
const leastWantedFirst = (a: RolloutPod, b: RolloutPod): number =>
  Number(a.ready) - Number(b.ready) || b.createdAt - a.createdAt;

/** A number of pods, or a percentage of `replicas`: of a surge the next whole number above, else the one below. */
export function podCount(value: number | string, replicas: number, round: 'up' | 'down'): number {
  if (typeof value === 'number') return value;
  const exact = (Number.parseFloat(value) / 100) * replicas;
  return round === 'up' ? Math.ceil(exact) : Math.floor(exact);
}
