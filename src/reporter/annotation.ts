import { isSlessError } from '../errors.ts';
import type { Cluster } from '../ports/cluster.ts';
import { ANNOTATIONS, LABELS } from '../resources/kube/labels.ts';
import type { KubeObject } from '../resources/kube/object.ts';
import type { Component } from './finding.ts';
import type { Owner } from './owner.ts';

/** The annotation of an owner, as JSON; `null` for none. */
export type Annotation = string | null;

/** The report that an owner carries. */
export function reportOn(owner: KubeObject): Annotation {
  return owner.metadata.annotations?.[ANNOTATIONS.report] ?? null;
}

/**
 * Writes a report onto its owner unless it is there already, so that two reporters do not write against each other. An
 * owner that is gone, is another one of that name, or is not of our making is left alone. Answers whether the owner carries the report now, and whether by this very call.
 *
 * @throws SlessError whatever the cluster throws; an owner that is gone is no error
 */
export async function annotate(
  cluster: Pick<Cluster, 'get' | 'patch'>,
  { owner, component }: { readonly owner: Owner; readonly component: Component },
  report: Annotation,
): Promise<'written' | 'there' | 'absent'> {
  const found = await cluster.get(owner);
  if (found?.metadata.labels?.[LABELS.component] !== component) return 'absent';
  const { uid } = found.metadata;
  if (owner.uid !== undefined && uid !== owner.uid) return 'absent';
  if (reportOn(found) === report) return 'there';
  try {
    // Without its version: a Job's controller writes to it just as its digest becomes known, and only we write this. With its uid: the name
    // may be another's by now, and the cluster refuses that.
    await cluster.patch(owner, { metadata: { uid, annotations: { [ANNOTATIONS.report]: report } } });
    return 'written';
  } catch (error) {
    if (isSlessError(error, 'NotFound')) return 'absent';
    throw error;
  }
}
