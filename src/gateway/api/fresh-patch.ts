import { setTimeout as delay } from 'node:timers/promises';
import { isSlessError, SlessError } from '../../errors.ts';
import type { Cluster, ObjectRef } from '../../ports/cluster.ts';
import type { KubeObject, ObjectMeta } from '../../resources/kube/object.ts';

/** Changes to an object: a merge patch of its spec and its annotations. `null` takes away. */
export interface Change {
  readonly spec?: Readonly<Record<string, unknown>> | undefined;
  readonly annotations?: Readonly<Record<string, string | null>>;
}

export interface FreshPatch {
  readonly ref: ObjectRef;
  /** What it is called in an error: `function "hello"`. */
  readonly title: string;
  /** The object that is meant; one made anew under its name is another. */
  readonly uid?: string | undefined;
  /** Works out the change from the object as it is; asked again after a conflict. Nothing to change: `undefined`. */
  readonly change: (current: KubeObject) => Change | undefined | Promise<Change>;
}

interface PatchDeps {
  readonly cluster: Pick<Cluster, 'get' | 'patch'>;
  /** From 0 to 1: two that met once shall not meet again. */
  readonly random: () => number;
}

/** Hooks write status now and then, each time a conflict; more than a few in a row are somebody else's loop. */
const MAX_ATTEMPTS = 10;
const PAUSE_MS = 20;

/**
 * Reads, changes and writes under optimistic locking, again after each conflict.
 *
 * @returns the object after the change
 * @throws SlessError `NotFound`, `Conflict`
 */
export async function patchFresh({ cluster, random }: PatchDeps, patch: FreshPatch): Promise<KubeObject> {
  for (let attempt = 1; ; attempt += 1) {
    const current = await cluster.get(patch.ref);
    if (current === undefined || (patch.uid !== undefined && current.metadata.uid !== patch.uid))
      throw notFound(patch.title);
    const change = await patch.change(current);
    if (change === undefined) return current;
    try {
      return await cluster.patch(patch.ref, body(change, current.metadata));
    } catch (error) {
      if (!isSlessError(error, 'Conflict') || attempt === MAX_ATTEMPTS) throw error;
      await delay(PAUSE_MS * attempt * random());
    }
  }
}

function body(change: Change, { resourceVersion }: ObjectMeta): Record<string, unknown> {
  return {
    metadata: {
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
      ...(change.annotations === undefined ? {} : { annotations: change.annotations }),
    },
    ...(change.spec === undefined ? {} : { spec: change.spec }),
  };
}

/** The 404 of an object. */
export function notFound(title: string): SlessError {
  return new SlessError('NotFound', `there is no ${title}`);
}
