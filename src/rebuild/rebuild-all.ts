import { isSlessError } from '../errors.ts';
import type { Cluster } from '../ports/cluster.ts';
import { everything } from '../ports/everything.ts';
import type { Logger } from '../ports/logger.ts';
import { functionSpecSchema } from '../resources/function/schema.ts';
import { KINDS } from '../resources/kube/kinds.ts';
import { ANNOTATIONS } from '../resources/kube/labels.ts';
import { annotationOf, type KubeObject } from '../resources/kube/object.ts';
import { type Follower, followFunctions } from './follow.ts';
import { isOfRun, nextWord, type Outcome, outcomeOf } from './outcome.ts';

interface Deps {
  readonly cluster: Pick<Cluster, 'list' | 'patch' | 'watch'>;
  readonly logger: Logger;
}

interface Options {
  /** What is already built by the run of this id is passed over, and what failed is tried again: a second run carries on. */
  readonly id: string;
  /** Builds at once. */
  readonly atOnce: number;
  /** Only this namespace. */
  readonly namespace?: string;
  readonly dryRun: boolean;
}

/** Of every Function that has code, how its rebuild ended. */
export interface Rebuilt {
  built: number;
  failed: number;
  /** Built with this id before. */
  passedOver: number;
}

/** Beside the time limit of the build itself: waiting for a place, the rollout, and the operator's resync. */
const SPARE_MS = 300_000;

/**
 * Builds every Function anew, some at a time, each waited for until it serves or failed. For a registry that was lost:
 * what runs goes on with the images that the nodes still have, and is replaced one by one.
 */
export async function rebuildAll(deps: Deps, options: Options): Promise<Rebuilt> {
  const { namespace, id } = options;
  const all = await everything(deps.cluster, {
    kind: KINDS.Function,
    ...(namespace === undefined ? {} : { namespace }),
  });
  const withCode = all.filter(hasCode);
  const due = withCode.filter((object) => !isDone(object, id));
  const summary = { built: 0, failed: 0, passedOver: withCode.length - due.length };
  if (options.dryRun) {
    for (const { metadata } of due) deps.logger.info(nameOf(metadata), 'this function would be built anew');
    return summary;
  }
  const follower = followFunctions(deps.cluster, namespace);
  const queue = due[Symbol.iterator]();
  const worker = async (): Promise<void> => {
    for (const object of queue) {
      const outcome = await rebuild({ ...deps, follower, id }, object);
      if (outcome.built) summary.built++;
      else summary.failed++;
      const left = due.length - summary.built - summary.failed;
      deps.logger.info(
        { ...nameOf(object.metadata), ...outcome, left },
        outcome.built ? 'built anew' : 'not built anew',
      );
    }
  };
  try {
    await Promise.all(Array.from({ length: options.atOnce }, worker));
  } finally {
    follower.close();
  }
  return summary;
}

const nameOf = ({ namespace, name }: KubeObject['metadata']) => ({ namespace, name });

function hasCode({ spec, metadata }: KubeObject): boolean {
  const key = (spec as { readonly s3Key?: unknown } | undefined)?.s3Key;
  return typeof key === 'string' && metadata.deletionTimestamp === undefined;
}

function isDone(object: KubeObject, id: string): boolean {
  const last = annotationOf(object, ANNOTATIONS.rebuild);
  return isOfRun(last, id) && outcomeOf(object, last)?.built === true;
}

interface Rebuild extends Deps {
  readonly follower: Follower;
  readonly id: string;
}

async function rebuild({ cluster, follower, id }: Rebuild, object: KubeObject): Promise<Outcome> {
  const { metadata, spec } = object;
  const { namespace = '', name } = metadata;
  const word = nextWord(object, id);
  const buildSeconds = functionSpecSchema.safeParse(spec).data?.buildTimeoutSeconds ?? 300;
  try {
    await cluster.patch(
      { kind: KINDS.Function, namespace, name },
      { metadata: { annotations: { [ANNOTATIONS.rebuild]: word } } },
    );
    return await follower.until(
      { namespace, name },
      { reached: (shown) => outcomeOf(shown, word), withinMs: buildSeconds * 1000 + SPARE_MS },
    );
  } catch (error) {
    // One that was deleted, or that nobody builds, must not hold up the other ten thousand.
    if (isSlessError(error)) return { built: false, reason: `${error.code}: ${error.message}` };
    throw error;
  }
}
