import { shortHash } from '../kube/hash.ts';
import { ANNOTATIONS, LABELS } from '../kube/labels.ts';
import { annotationOf, type KubeObject } from '../kube/object.ts';

/** One run of a FunctionJob. */
export interface Run {
  readonly namespace: string;
  /** The FunctionJob's name. */
  readonly name: string;
  readonly uid: string;
  readonly function: string;
  readonly runID: number;
}

/** The name is the guard against a second Job: of one run, under one uid, there can be but one. */
export function jobName({ name, uid, runID }: Run): string {
  return `${name}-r-${shortHash(uid, String(runID))}`;
}

export function eventName({ name, uid, runID }: Run): string {
  return `${name}-e-${shortHash(uid, String(runID))}`;
}

/** Labels of a FunctionJob's children and pods. */
export function runLabels(run: Run): Record<string, string> {
  return {
    [LABELS.managedBy]: 'sless',
    [LABELS.component]: 'job',
    [LABELS.function]: run.function,
    [LABELS.functionJob]: run.name,
  };
}

export function runAnnotations({ runID }: Run): Record<string, string> {
  return { [ANNOTATIONS.runID]: String(runID) };
}

/** The run that a child belongs to; `undefined` where somebody took the annotation away. */
export function runOf(child: KubeObject): number | undefined {
  return readRunID(annotationOf(child, ANNOTATIONS.runID));
}

/** A run's number as an annotation holds it. */
export function readRunID(text: string | undefined): number | undefined {
  if (text === undefined || !/^[0-9]{1,16}$/.test(text)) return undefined;
  const number = Number(text);
  return Number.isSafeInteger(number) ? number : undefined;
}
