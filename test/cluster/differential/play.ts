import { isSlessError } from '../../../src/errors.ts';
import type { ControllerCluster, ObjectRef } from '../../../src/ports/cluster.ts';
import type { Kind } from '../../../src/resources/kube/kinds.ts';
import type { KubeObject } from '../../../src/resources/kube/object.ts';
import { createLedger, isLookedAfter, type Ledger, normalForm } from './normal-form.ts';
import { WRITER } from './pair.ts';
import type { Json, Step, Version } from './step.ts';

/** What a request came to. */
export type Outcome =
  | { readonly object: unknown }
  | { readonly refused: string }
  | { readonly deleted: true };

/** Plays requests on one cluster. */
export interface Player {
  readonly ledger: Ledger;
  take(step: Step): Promise<Outcome>;
  /** The words of the last refusal. They are each cluster's own, and for people. */
  refusal(): string;
  /** Deletes whatever is left, finalizers or not, and answers the uids of all objects that there have been. */
  clear(): Promise<string[]>;
}

/** Where a sequence is played: names are made unique by a prefix, so that no sequence meets another. */
export interface Stage {
  readonly kind: Kind;
  readonly namespace: string;
  readonly prefix: string;
}

/** What a player has seen of the objects of one name, oldest first. */
interface Seen {
  readonly versions: string[];
  readonly uids: string[];
}

export function createPlayer(cluster: ControllerCluster, stage: Stage): Player {
  const ledger = createLedger();
  const memory = new Map<string, Seen>();
  let refusal = '';
  const seenOf = (name: string): Seen => {
    const seen = memory.get(name) ?? { versions: [], uids: [] };
    memory.set(name, seen);
    return seen;
  };
  const remember = (name: string, { metadata }: KubeObject): void => {
    const seen = seenOf(name);
    seen.versions.push(metadata.resourceVersion ?? '');
    if (!seen.uids.includes(metadata.uid ?? '')) seen.uids.push(metadata.uid ?? '');
  };
  return {
    ledger,
    refusal: () => refusal,
    clear: async () => {
      for (const name of memory.keys()) await clear(cluster, refOf(stage, name));
      return [...memory.values()].flatMap(({ uids }) => uids);
    },
    take: async (step) => {
      try {
        const object = await request(cluster, stage, { step, seen: seenOf(step.name) });
        if (object === undefined) return { deleted: true };
        refuseStrangers(object);
        remember(step.name, object);
        return { object: normalForm(object, ledger) };
      } catch (error) {
        if (!isSlessError(error)) throw error;
        refusal = error.message;
        return { refused: error.code };
      }
    },
  };
}

/** Another controller has written an object of this suite's, so that nothing can be said of it. */
export class Meddled extends Error {
  override readonly name = 'Meddled';
}

const KNOWN = new Set([WRITER, 'one', 'two', 'before-first-apply', 'kube-controller-manager']);

export function refuseStrangers({ kind, metadata }: KubeObject): void {
  const lines = (metadata.managedFields ?? []) as readonly { readonly manager: string }[];
  const stranger = lines.find(({ manager }) => !KNOWN.has(manager));
  if (stranger !== undefined) throw new Meddled(`${stranger.manager} has written ${kind} ${metadata.name}`);
}

const refOf = ({ kind, namespace, prefix }: Stage, name: string): ObjectRef => ({
  kind,
  name: `${prefix}${name}`,
  ...(kind.namespaced ? { namespace } : {}),
});

async function clear(cluster: ControllerCluster, ref: ObjectRef): Promise<void> {
  const left = await cluster.get(ref);
  if (left?.metadata.finalizers) await cluster.patch(ref, { metadata: { finalizers: null } });
  if (left && (await cluster.get(ref))) await cluster.delete(ref);
}

interface Asked {
  readonly step: Step;
  readonly seen: Seen;
}

async function request(
  cluster: ControllerCluster,
  stage: Stage,
  { step, seen }: Asked,
): Promise<KubeObject | undefined> {
  const ref = refOf(stage, step.name);
  switch (step.do) {
    case 'create':
      return cluster.create(whole(ref, step.body));
    case 'apply':
      return cluster.apply(whole(ref, step.body), step.manager);
    case 'patch':
    case 'patchStatus': {
      const options = step.do === 'patchStatus' ? ({ subresource: 'status' } as const) : undefined;
      return versioned(cluster, { ref, seen, version: step.version }, (resourceVersion) =>
        cluster.patch(ref, withVersion(step.body, resourceVersion), options),
      );
    }
    case 'replaceStatus':
      return replaceStatus(cluster, { ref, seen, version: step.version }, step.body);
    case 'delete': {
      const uid = step.uid === 'current' ? seen.uids.at(-1) : seen.uids[0];
      await cluster.delete(ref, step.uid === undefined || uid === undefined ? {} : { uid });
      return undefined;
    }
  }
}

interface Target {
  readonly ref: ObjectRef;
  readonly seen: Seen;
  readonly version: Version | undefined;
}

/** A controller may write between a look and the write that follows it. */
const TRIES = 20;

async function versioned(
  cluster: ControllerCluster,
  { ref, seen, version }: Target,
  write: (resourceVersion: string | undefined) => Promise<KubeObject>,
): Promise<KubeObject> {
  if (version === undefined) return write(undefined);
  // The first version is the current one as long as nothing has changed, but not where a controller writes, too.
  if (version === 'stale') return write(isLookedAfter(ref.kind) ? '1' : seen.versions[0]);
  for (let tries = 1; ; tries += 1) {
    const current = await cluster.get(ref);
    try {
      return await write(current?.metadata.resourceVersion);
    } catch (error) {
      if (!isLookedAfter(ref.kind) || !isSlessError(error, 'Conflict') || tries === TRIES) throw error;
    }
  }
}

/** Replaces the status as our sync loop does: of the object as it was read, with that version of it. */
async function replaceStatus(cluster: ControllerCluster, target: Target, status: Json): Promise<KubeObject> {
  const live = await cluster.get(target.ref);
  const object = live ?? whole(target.ref, {});
  return versioned(cluster, target, (resourceVersion) => {
    const { resourceVersion: _, ...metadata } = object.metadata;
    const versioned = resourceVersion === undefined ? metadata : { ...metadata, resourceVersion };
    return cluster.replaceStatus({ ...object, metadata: versioned, status });
  });
}

function whole({ kind, ...names }: ObjectRef, body: Json): KubeObject {
  const { apiVersion, kind: word } = kind;
  return { apiVersion, kind: word, ...body, metadata: { ...(body.metadata as object), ...names } };
}

function withVersion(body: Json, resourceVersion: string | undefined): Json {
  return resourceVersion === undefined
    ? body
    : { ...body, metadata: { ...(body.metadata as object), resourceVersion } };
}
