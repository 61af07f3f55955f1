import type { Context } from 'hono';
import { everything } from '../../../ports/everything.ts';
import type { PodLogs } from '../../../ports/pod-logs.ts';
import { KINDS } from '../../../resources/kube/kinds.ts';
import type { KubeObject } from '../../../resources/kube/object.ts';
import { startedContainers } from '../../logs/containers.ts';
import { followLines } from '../../logs/follow-lines.ts';
import { MAX_CONTAINERS, type Newest, newestLines } from '../../logs/newest-lines.ts';
import { parsePosition } from '../../logs/position.ts';
import type { ApiDeps, ApiEnv } from '../deps.ts';
import { type LogLineAnswer, toLogLine } from './answer.ts';
import { eventStream, HEART_BEAT_MS } from './event-stream.ts';

/** Whose lines, and which of them. */
export interface LogQuestion {
  readonly namespace: string;
  readonly labels: Readonly<Record<string, string>>;
  /** Of the pods with these labels, those that are meant. */
  readonly accepts: (pod: KubeObject) => boolean;
  readonly lines: number;
  readonly after: string | undefined;
  readonly previous: boolean;
}

/** What reading logs needs. */
export type LogDeps = Pick<ApiDeps, 'cluster' | 'logger' | 'clock' | 'ending'> & {
  readonly logs: PodLogs;
  readonly heartBeatMs?: number | undefined;
};

/** What is there. */
export async function readNewest(deps: LogDeps, question: LogQuestion, signal: AbortSignal): Promise<Newest> {
  const { namespace, labels, accepts, lines, after, previous } = question;
  const pods = await everything(deps.cluster, { kind: KINDS.Pod, namespace, labels });
  const containers = pods.filter(accepts).sort(newestFirst).flatMap(startedContainers);
  return newestLines(deps.logs, containers.slice(0, MAX_CONTAINERS), {
    lines,
    previous,
    ...(after === undefined ? {} : { after }),
    signal,
  });
}

function newestFirst({ metadata: a }: KubeObject, { metadata: b }: KubeObject): number {
  const [timeA = '', timeB = ''] = [a.creationTimestamp, b.creationTimestamp];
  return timeA < timeB ? 1 : timeA > timeB ? -1 : 0;
}

/** A reader that takes nothing for so long holds one of few places for nothing; heart-beats come more often. */
const SILENCE_MS = 60_000;

interface FollowOptions {
  readonly question: LogQuestion;
  /** What to tell first where no pod has written anything. */
  readonly kept?: readonly LogLineAnswer[];
  /** Tells how it ended, once nothing more is to come. */
  readonly end?: () => Promise<object | undefined>;
}

/** What is there and what comes, as server-sent events; what a reader has had already is not told again. */
export async function followFrom(
  c: Context<ApiEnv>,
  deps: LogDeps,
  { question, kept = [], end }: FollowOptions,
): Promise<Response> {
  const { namespace, labels, accepts, after } = question;
  const lastId = c.req.header('last-event-id') ?? '';
  const newest = lastId === '' ? await readNewest(deps, question, c.req.raw.signal) : undefined;
  const lines = newest === undefined || newest.lines.length > 0 ? newest?.lines.map(toLogLine) : kept;
  const position = newest?.position ?? parsePosition(lastId);
  const followed = followLines(
    { ...deps, logger: c.get('logger') },
    { pods: { kind: KINDS.Pod, namespace, labels }, accepts, from: position, after },
  );
  const body = eventStream({
    lines: lines ?? [],
    position,
    followed,
    ...(end === undefined ? {} : { end }),
    ending: deps.ending,
    now: () => deps.clock.now(),
    heartBeatMs: deps.heartBeatMs ?? HEART_BEAT_MS,
  });
  c.env?.outgoing?.setTimeout(SILENCE_MS, () => c.env?.outgoing?.destroy());
  return c.body(body, 200, {
    'content-type': 'text/event-stream',
    // Proxies such as nginx must not collect it.
    'x-accel-buffering': 'no',
  });
}
