import type { Cluster, ObjectRef } from '../../../ports/cluster.ts';
import type { FunctionObject } from '../../../resources/function/schema.ts';
import { KINDS } from '../../../resources/kube/kinds.ts';
import { notFound } from '../fresh-patch.ts';

/** Where a function is kept. */
export interface FunctionAddress {
  readonly namespace: string;
  readonly name: string;
}

export function functionRef({ namespace, name }: FunctionAddress): ObjectRef {
  return { kind: KINDS.Function, namespace, name };
}

/** What a function is called in an error. */
export function functionTitle({ name }: FunctionAddress): string {
  return `function ${JSON.stringify(name)}`;
}

/** @throws SlessError `NotFound` */
export async function requireFunction(cluster: Cluster, address: FunctionAddress): Promise<FunctionObject> {
  const object = await cluster.get(functionRef(address));
  if (object === undefined) throw notFound(functionTitle(address));
  // The CRD's schema stands guard over what is stored; readers parse what they rely on.
  return object as FunctionObject;
}
