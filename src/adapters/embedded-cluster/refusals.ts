import { SlessError } from '../../errors.ts';
import type { ObjectRef } from '../../ports/cluster.ts';
import type { KubeObject } from '../../resources/kube/object.ts';

const where = (namespace: string | undefined) =>
  namespace === undefined ? '' : ` in namespace ${namespace}`;

/** There is no such object. */
export function notFound({ kind, namespace, name }: ObjectRef): SlessError {
  return new SlessError('NotFound', `there is no ${kind.kind} ${name}${where(namespace)}`);
}

/** Objects of that kind do not exist here at all: to a cluster of one's own, a CRD that is not installed. */
export function unknownKind(kind: { readonly apiVersion: string; readonly kind: string }): SlessError {
  return new SlessError('Unavailable', `the cluster serves no kind ${kind.kind} of ${kind.apiVersion}`);
}

export function alreadyExists({ kind, metadata }: KubeObject): SlessError {
  return new SlessError(
    'AlreadyExists',
    `${kind} ${metadata.name}${where(metadata.namespace)} exists already`,
  );
}

/** The writer looked at an object that is not the one that is there now. */
export function conflict({ kind, metadata }: KubeObject, field: 'resourceVersion' | 'uid'): SlessError {
  const message = `${kind} ${metadata.name}${where(metadata.namespace)} was changed meanwhile: its ${field} is another`;
  return new SlessError('Conflict', message);
}

export function missingNamespace(name: string): SlessError {
  return new SlessError('NotFound', `there is no Namespace ${name}`);
}

export function endingNamespace(name: string): SlessError {
  return new SlessError('Forbidden', `nothing can be created in namespace ${name}: it is being deleted`);
}

/** A request that no object could make right; the API server's 400. */
export function malformed(message: string): SlessError {
  return new SlessError('Invalid', message, { details: [message] });
}

export function closed(): SlessError {
  return new SlessError('Unavailable', 'the embedded cluster is closed');
}

/** The kind has no status to be written. */
export function noStatus(kind: { readonly kind: string }): SlessError {
  return new SlessError('NotFound', `a ${kind.kind} has no status subresource`);
}

/** A patch that would give the object another uid: no race but a mistake. */
export function immutableUid({ kind, metadata }: KubeObject): SlessError {
  const details = ['metadata.uid: field is immutable'];
  return new SlessError('Invalid', `${kind} ${metadata.name} is invalid: ${details[0]}`, { details });
}

/** Objects of our own kinds are only replaced by who says which version of them. */
export function unversioned({ kind, metadata }: KubeObject): SlessError {
  const details = ['metadata.resourceVersion: must be specified for an update'];
  return new SlessError('Invalid', `${kind} ${metadata.name} is invalid: ${details[0]}`, { details });
}
