import { isSlessError } from '../errors.ts';
import type { Clock, MonotonicClock } from '../ports/clock.ts';
import type { Cluster } from '../ports/cluster.ts';
import type { Logger } from '../ports/logger.ts';
import { KINDS } from '../resources/kube/kinds.ts';
import { ANNOTATIONS } from '../resources/kube/labels.ts';
import type { KubeObject } from '../resources/kube/object.ts';
import { formatTime } from '../resources/kube/time.ts';
import { type ConsumerState, consumerStateOf } from '../resources/trigger/consumer.ts';
import type { Condition } from './condition.ts';

/** Says on the ConfigMap of one consumer how it is, when that has changed. */
export interface Report {
  say(condition: Condition): void;
  /** The ConfigMap was seen. */
  seen(configMap: KubeObject): void;
  close(): void;
}

interface ReportDeps {
  readonly cluster: Pick<Cluster, 'patch'>;
  readonly clock: Clock;
  readonly monotonic: MonotonicClock;
  readonly logger: Logger;
}

/** Between two writes. A state that comes and goes sooner is not told. */
const APART_MS = 2000;
const WRITE_AGAIN_MS = 5000;
/**
 * After so long a consumer that works corrects an annotation which says otherwise: another dispatcher may have left it, and ended. One that
 * does not work leaves it: several share a Trigger, and as long as one of them carries its messages it is well.
 */
const CORRECT_MS = 10_000;

export function createReport({ cluster, clock, monotonic, logger }: ReportDeps, first: KubeObject): Report {
  const { name, namespace = '' } = first.metadata;
  let annotated = consumerStateOf(first);
  let wanted: ConsumerState | undefined;
  let timer: NodeJS.Timeout | undefined;
  let writing = false;
  let lastWrite = Number.NEGATIVE_INFINITY;
  let closed = false;

  const schedule = (milliseconds: number): void => {
    if (closed || timer !== undefined || writing) return;
    timer = setTimeout(write, milliseconds).unref();
  };
  const write = async (): Promise<void> => {
    timer = undefined;
    if (closed || wanted === undefined || isSame(wanted, annotated)) return;
    const state = wanted;
    writing = true;
    let wait = APART_MS;
    try {
      const annotations = { [ANNOTATIONS.consumerState]: JSON.stringify(state) };
      await cluster.patch({ kind: KINDS.ConfigMap, namespace, name }, { metadata: { annotations } });
      annotated = state;
      lastWrite = monotonic.now();
    } catch (error) {
      wait = WRITE_AGAIN_MS;
      if (!isSlessError(error, 'NotFound'))
        logger.warn({ err: error, namespace, name }, 'the state of a consumer could not be written');
    }
    writing = false;
    if (wanted !== state || wait === WRITE_AGAIN_MS) schedule(wait);
  };

  return {
    say(condition) {
      if (condition === undefined || (wanted !== undefined && isSame(condition, wanted))) return;
      wanted = { ...condition, since: formatTime(clock.now()) };
      logger.info({ namespace, name, ...condition }, 'the state of a consumer has changed');
      schedule(Math.max(0, lastWrite + APART_MS - monotonic.now()));
    },
    seen(configMap) {
      annotated = consumerStateOf(configMap);
      const isWell = wanted?.connected === true && wanted.reason === undefined;
      if (isWell && !isSame(wanted as ConsumerState, annotated)) schedule(CORRECT_MS);
    },
    close() {
      closed = true;
      clearTimeout(timer);
    },
  };
}

type Said = Omit<ConsumerState, 'since'>;

/** Since when does not count: it is as it was. */
const isSame = (one: Said, other: Said | undefined): boolean =>
  one.connected === other?.connected && one.reason === other.reason && one.message === other.message;
