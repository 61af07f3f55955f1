import type { Cluster, ObjectRef } from '../../ports/cluster.ts';
import type { Kind } from '../../resources/kube/kinds.ts';
import type { KubeObject } from '../../resources/kube/object.ts';
import { notFound } from './fresh-patch.ts';

/** Where an object of a tenant is kept. */
export interface Address {
  readonly namespace: string;
  readonly name: string;
}

/** How the objects of one kind are found, and what they are called. */
export interface KeptKind<T extends KubeObject> {
  ref(address: Address): ObjectRef;
  /** What an object is called in an error: `function "hello"`. */
  title(address: Pick<Address, 'name'>): string;
  /** An object of this kind by its type: the CRD's schema stands guard over what is stored; readers parse what they rely on. */
  typed(object: KubeObject): T;
  /** @throws SlessError `NotFound` */
  require(cluster: Pick<Cluster, 'get'>, address: Address): Promise<T>;
}

/** @param word what REST calls such an object */
export function keptKind<T extends KubeObject>(kind: Kind, word: string): KeptKind<T> {
  const ref: KeptKind<T>['ref'] = ({ namespace, name }) => ({ kind, namespace, name });
  const title: KeptKind<T>['title'] = ({ name }) => `${word} ${JSON.stringify(name)}`;
  const typed: KeptKind<T>['typed'] = (object) => object as T; // see there
  return {
    ref,
    title,
    typed,
    require: async (cluster, address) => {
      const object = await cluster.get(ref(address));
      if (object === undefined) throw notFound(title(address));
      return typed(object);
    },
  };
}
