import { isDeepStrictEqual } from 'node:util';
import { isSlessError } from '../../errors.ts';
import type { Kind } from '../../resources/kube/kinds.ts';
import type { KubeObject } from '../../resources/kube/object.ts';
import { type DecorateAnswer, decorateAnswer } from './answers.ts';
import { manageChildren, wantedGroups } from './children.ts';
import type { SyncDeps, Synced } from './composite.ts';
import { addGroup, type Groups } from './groups.ts';

/** Marks what a decorator made, so that it knows its own among an object's children. */
const DECORATOR_ANNOTATION = 'metacontroller.k8s.io/decorator-controller';

/** One sync of a DecoratorController's object: hook, status, labels and annotations of the object, then attachments. */
export async function syncDecorated(
  deps: SyncDeps,
  { object, kind }: { readonly object: KubeObject; readonly kind: Kind },
  scheduled: (after: Synced) => void,
): Promise<void> {
  const { controller, hooks, related, kinds } = deps;
  const observed = attached(deps, object);
  const request = {
    controller: controller.object,
    object,
    attachments: observed,
    related: await related.objectsFor(object),
    finalizing: false,
  };
  const answer = await hooks.ask(controller.sync, request, decorateAnswer);
  scheduled(answer);
  if (!(await decorate(deps, { object, kind }, answer))) return;
  if (object.metadata.deletionTimestamp !== undefined) return;
  const marked = answer.attachments.map((child) => annotated(child, controller.name));
  const wanted = wantedGroups(object, marked, kinds);
  const errors = await manageChildren(deps, { parent: object, observed, wanted, rules: controller.children });
  if (errors.length > 0) throw new AggregateError(errors, errors.map((error) => error.message).join('; '));
}

function attached({ controller, cacheOf }: SyncDeps, { metadata: { uid = '' } }: KubeObject): Groups {
  const groups: Groups = {};
  for (const { kind } of controller.children) {
    const owned = cacheOf(kind).controlledBy(uid);
    addGroup(
      groups,
      kind,
      owned.filter((child) => child.metadata.annotations?.[DECORATOR_ANNOTATION] === controller.name),
    );
  }
  return groups;
}

function annotated(child: KubeObject, name: string): KubeObject {
  const annotations = { ...child.metadata.annotations, [DECORATOR_ANNOTATION]: name };
  return { ...child, metadata: { ...child.metadata, annotations } };
}

/** Writes what the hook changes of the object. False when that was in vain because the object changed or is gone. */
async function decorate(
  { cluster }: SyncDeps,
  { object, kind }: { readonly object: KubeObject; readonly kind: Kind },
  answer: DecorateAnswer,
): Promise<boolean> {
  const { name, namespace } = object.metadata;
  const ref = { kind, name, ...(namespace === undefined ? {} : { namespace }) };
  const { labels, annotations } = answer;
  const statusChanged = answer.status != null && !isDeepStrictEqual(object.status, answer.status);
  const changed =
    changes(object.metadata.labels, labels) || changes(object.metadata.annotations, annotations);
  try {
    let { resourceVersion } = object.metadata;
    if (statusChanged)
      ({ resourceVersion } = (await cluster.replaceStatus({ ...object, status: answer.status })).metadata);
    if (changed) await cluster.patch(ref, { metadata: { resourceVersion, labels, annotations } });
    return true;
  } catch (error) {
    if (isSlessError(error, 'Conflict') || isSlessError(error, 'NotFound')) return false;
    throw error;
  }
}

function changes(
  present: Readonly<Record<string, string>> = {},
  wanted: Readonly<Record<string, string | null>>,
): boolean {
  return Object.entries(wanted).some(([key, value]) => (present[key] ?? null) !== value);
}
