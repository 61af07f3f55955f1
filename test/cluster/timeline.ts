import type { Cluster } from '../../src/ports/cluster.ts';
import { KINDS, type Kind } from '../../src/resources/kube/kinds.ts';
import type { KubeObject } from '../../src/resources/kube/object.ts';

/** When things became true of a function, in milliseconds since 1970, as this machine saw them. */
export interface Timeline {
  /** The first time that this was seen, such as `fetch ended`. */
  at(moment: string): number | undefined;
  /** All of it, in order, for who wants to know where the time goes. */
  text(since: number): string;
  close(): void;
}

interface ContainerStatus {
  readonly name: string;
  readonly state?: Readonly<Record<string, unknown>>;
}
interface Status {
  readonly phase?: string;
  readonly conditions?: readonly { readonly type: string; readonly status: string }[];
  readonly initContainerStatuses?: readonly ContainerStatus[];
  readonly containerStatuses?: readonly ContainerStatus[];
}

/** Watches a Function and all that belongs to it. */
export function watchTimeline(
  cluster: Pick<Cluster, 'watch'>,
  { namespace, name }: { readonly namespace: string; readonly name: string },
): Timeline {
  const moments = new Map<string, number>();
  const see = (object: KubeObject): void => {
    for (const moment of momentsOf(object)) if (!moments.has(moment)) moments.set(moment, Date.now());
  };
  const isOurs = ({ kind, metadata }: KubeObject): boolean =>
    kind === 'Function' ? metadata.name === name : metadata.labels?.['sless.dev/function'] === name;
  const watches = [KINDS.Job, KINDS.Pod, KINDS.Deployment, KINDS.Function].map((kind: Kind) =>
    cluster.watch({ kind, namespace }, (event) => {
      if (event.type === 'applied' && isOurs(event.object)) see(event.object);
    }),
  );
  return {
    at: (moment) => moments.get(moment),
    text: (since) => [...moments].map(([moment, at]) => `${at - since} ${moment}`).join('\n'),
    close: () => {
      for (const watch of watches) watch.close();
    },
  };
}

function momentsOf(object: KubeObject): string[] {
  const { kind, metadata } = object;
  const { phase, conditions = [], ...containers } = (object.status ?? {}) as Status;
  const component = metadata.labels?.['sless.dev/component'];
  const who = kind === 'Pod' ? `${component} pod` : kind;
  const states = [...(containers.initContainerStatuses ?? []), ...(containers.containerStatuses ?? [])];
  return [
    `${who} made`,
    ...(phase === undefined ? [] : [`${who} ${phase}`]),
    ...(metadata.annotations?.['sless.dev/report'] === undefined ? [] : [`${who} reported`]),
    ...conditions.filter(({ status }) => status === 'True').map(({ type }) => `${who} is ${type}`),
    ...states.flatMap(({ name, state = {} }) => Object.keys(state).map((word) => `${name} ${word}`)),
  ];
}

/**
 * The whole, and the parts that it is the sum of: to the end of `fetch`, to that of `build` where dependencies are installed, to the known digest, to
 * Ready.
 */
export function timeLine(
  timeline: Timeline,
  { begunAt, total }: { readonly begunAt: number; readonly total: number },
): string {
  const fetched = (timeline.at('fetch terminated') ?? begunAt) - begunAt;
  const builtAt = timeline.at('build terminated');
  const built = builtAt === undefined ? 0 : builtAt - begunAt - fetched;
  const pushed = (timeline.at('Job reported') ?? begunAt) - begunAt - fetched - built;
  const seconds = (ms: number) => `${(ms / 1000).toFixed(1)}s`;
  return `time upload_to_ready total=${seconds(total)} fetch=${seconds(fetched)} ${builtAt === undefined ? '' : `build=${seconds(built)} `}push=${seconds(pushed)} rollout=${seconds(total - fetched - built - pushed)}`;
}
