import { isSlessError, SlessError } from '../errors.ts';
import type { Clock } from '../ports/clock.ts';
import type { Cluster } from '../ports/cluster.ts';
import { everything } from '../ports/everything.ts';
import type { ImageRegistry } from '../ports/image-registry.ts';
import type { Logger } from '../ports/logger.ts';
import type { ObjectStore } from '../ports/object-store.ts';
import { KINDS } from '../resources/kube/kinds.ts';
import { LABELS } from '../resources/kube/labels.ts';
import type { KubeObject } from '../resources/kube/object.ts';
import { expiredJobs } from './expired-jobs.ts';
import { type RepositoryOf, unusedImages } from './images.ts';
import type { Garbage, Owner } from './item.ts';
import { claimMarks, sortByAge, writeMarks } from './marks.ts';
import { isObjectUsed, unusedObjects } from './objects.ts';
import { observeAll, observeOne } from './observe.ts';
import { type Usage, usageOf } from './usage.ts';

interface Deps {
  readonly cluster: Pick<Cluster, 'get' | 'list' | 'delete'>;
  readonly store: Pick<ObjectStore, 'list' | 'get' | 'put' | 'delete'>;
  /** Without one, images are left alone. */
  readonly registry?: ImageRegistry;
  readonly clock: Clock;
  readonly logger: Logger;
}

interface Options {
  readonly repositoryOf: RepositoryOf;
  /** How long something must have been seen unused before it goes, in milliseconds. */
  readonly graceMs: number;
  /** Says what would go, and changes nothing but its own marks. */
  readonly dryRun: boolean;
}

/** What one run did. */
export interface Summary {
  /** Gone, or with `dryRun` what would have gone. */
  objects: number;
  bytes: number;
  images: number;
  jobs: number;
  /** Unused, and not for long enough. */
  waiting: number;
  /** What could not be looked at or thrown away; the log says why. */
  failures: number;
}

interface Run extends Deps, Options {
  readonly summary: Summary;
}

/**
 * Throws away what nothing uses: uploads and images of versions that have left the history of their Function, all that a
 * deleted Function left behind, and FunctionJobs past their time. Each piece only after the whole grace, and only when its
 * Function, looked at once more, still does not use it.
 *
 * @throws SlessError when the cluster or the store cannot be read whole, or the store is another cluster's, too: then nothing has been
 *   thrown away.
 */
export async function collectGarbage(deps: Deps, options: Options): Promise<Summary> {
  const summary: Summary = { objects: 0, bytes: 0, images: 0, jobs: 0, waiting: 0, failures: 0 };
  const run: Run = { ...deps, ...options, summary };
  const id = await clusterId(run.cluster);
  const marks = await claimMarks(run.store, id);
  const sorted = sortByAge(await findGarbage(run), marks, { now: run.clock.now(), graceMs: run.graceMs });
  summary.waiting = sorted.waiting.length;
  // Before anything goes: a run that is killed half-way must not cost what is left its age. With a dry run too: whoever
  // begins with those sees what would go once its grace is over.
  await writeMarks(run.store, sorted.marks, id);
  for (const items of Map.groupBy(sorted.ripe, ({ owner }) => addressOf(owner)).values())
    await removeOfOwner(run, items);
  await removeExpiredJobs(run);
  return summary;
}

/** The uid of the namespace that every cluster has for as long as it lives. */
async function clusterId(cluster: Pick<Cluster, 'get'>): Promise<string> {
  const found = await cluster.get({ kind: KINDS.Namespace, name: 'kube-system' });
  if (found?.metadata.uid === undefined)
    throw new SlessError(
      'Unavailable',
      'the cluster has no namespace kube-system, by which it is told from others',
    );
  return found.metadata.uid;
}

/** Repositories that are looked at together: 100,000 tags at 20 ms each are four minutes so, and half an hour one by one. */
const LOOKED_AT_ONCE = 8;

const addressOf = ({ namespace, name }: Owner): string => `${namespace}/${name}`;

async function findGarbage(run: Run): Promise<Garbage[]> {
  // The cluster first: what is uploaded from here on is unused in this run's eyes, and has its whole grace to prove otherwise.
  const observed = await observeAll(run.cluster);
  const usage = usageOf(observed);
  const objects = await unusedObjects(run.store, usage);
  const owners = new Map(objects.owners.map((owner) => [addressOf(owner), owner]));
  for (const { metadata } of observed.functions) {
    const owner = { namespace: metadata.namespace ?? '', name: metadata.name };
    owners.set(addressOf(owner), owner);
  }
  const images: Garbage[] = [];
  const queue = owners.values();
  const look = async (): Promise<void> => {
    for (const owner of queue) images.push(...(await findImages(run, owner, usage)));
  };
  await Promise.all(Array.from({ length: LOOKED_AT_ONCE }, look));
  return [...images, ...objects.garbage];
}

async function findImages(run: Run, owner: Owner, usage: Usage): Promise<readonly Garbage[]> {
  try {
    return await lookUpImages(run, owner, usage);
  } catch (error) {
    failed(run, { ...owner, err: error }, 'the images of a function cannot be looked at');
    return [];
  }
}

async function lookUpImages(run: Run, owner: Owner, usage: Usage): Promise<readonly Garbage[]> {
  const { registry } = run;
  if (registry === undefined) return [];
  return unusedImages({ registry, repository: run.repositoryOf(owner), owner }, usage);
}

async function removeOfOwner(run: Run, items: readonly Garbage[]): Promise<void> {
  const [first] = items;
  if (first === undefined) return;
  try {
    const observed = await observeOne(run.cluster, first.owner);
    const usage = usageOf(observed);
    // A build that makes the same bytes again gets the same digest, and nobody speaks of it until its Job is read.
    const isBuilding = observed.workloads.some(isOpenBuild);
    const images = isBuilding ? [] : await lookUpImages(run, first.owner, usage);
    const going = images.filter(({ id }) => items.some((item) => item.id === id));
    for (const image of going) await remove(run, image);
    const objects = items.filter(({ id, kind }) => kind === 'object' && !isObjectUsed(id, usage));
    // By its objects a Function that is gone is remembered, and with it that it had images: they go last.
    const isLast = observed.functions.length > 0 || (!isBuilding && going.length === images.length);
    if (!isLast) run.summary.waiting += objects.length;
    else for (const object of objects) await remove(run, object);
  } catch (error) {
    failed(run, { ...first.owner, err: error }, 'what a function left behind cannot be thrown away');
  }
}

/** A build Job that has not failed: it runs, or its image is not in the status yet. */
function isOpenBuild({ metadata, status }: KubeObject): boolean {
  if (metadata.labels?.[LABELS.component] !== 'build') return false;
  const { conditions = [] } = (status ?? {}) as { readonly conditions?: readonly Condition[] };
  return !conditions.some(({ type, status }) => type === 'Failed' && status === 'True');
}

interface Condition {
  readonly type?: string;
  readonly status?: string;
}

async function remove({ dryRun, logger, summary, ...run }: Run, { id, kind, size }: Garbage): Promise<void> {
  if (!dryRun) {
    if (kind === 'object') await run.store.delete(id);
    else await run.registry?.remove(...splitImage(id));
  }
  logger.info({ [kind]: id, size, dryRun }, dryRun ? `this ${kind} would go` : `this ${kind} is gone`);
  if (kind === 'image') summary.images++;
  else summary.objects++;
  summary.bytes += size ?? 0;
}

function splitImage(id: string): [repository: string, digest: string] {
  const at = id.lastIndexOf('@');
  return [id.slice(0, at), id.slice(at + 1)];
}

async function removeExpiredJobs(run: Run): Promise<void> {
  const jobs = await everything(run.cluster, { kind: KINDS.FunctionJob });
  for (const { metadata } of expiredJobs(jobs, run.clock.now())) {
    const { namespace = '', name } = metadata;
    try {
      if (!run.dryRun && !(await removeExpiredJob(run, { namespace, name }))) continue;
    } catch (error) {
      if (isSlessError(error, 'NotFound') || isSlessError(error, 'Conflict')) continue;
      failed(run, { namespace, name, err: error }, 'an expired FunctionJob cannot be deleted');
      continue;
    }
    run.logger.info(
      { namespace, name, dryRun: run.dryRun },
      `this FunctionJob ${run.dryRun ? 'would go' : 'is gone'}`,
    );
    run.summary.jobs++;
  }
}

/**
 * Deletes a FunctionJob that is expired still: the list is old by now, and one that was asked to run again, or another that took the
 * name, stays, also when that happens between this look and the deletion.
 */
async function removeExpiredJob({ cluster, clock }: Run, { namespace, name }: Owner): Promise<boolean> {
  const ref = { kind: KINDS.FunctionJob, namespace, name };
  const job = await cluster.get(ref);
  if (job === undefined || expiredJobs([job], clock.now()).length === 0) return false;
  const { uid, resourceVersion } = job.metadata;
  await cluster.delete(ref, {
    ...(uid === undefined ? {} : { uid }),
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
  });
  return true;
}

function failed({ logger, summary }: Pick<Run, 'logger' | 'summary'>, fields: object, message: string): void {
  summary.failures++;
  logger.error(fields, message);
}
