import type { Clock } from '../../ports/clock.ts';
import type { Kind } from '../../resources/kube/kinds.ts';
import { KINDS } from '../../resources/kube/kinds.ts';
import type { KubeObject } from '../../resources/kube/object.ts';
import { customizeAnswer, type RelatedRule } from './answers.ts';
import type { Controller } from './controllers.ts';
import { addGroup, type Groups } from './groups.ts';
import type { Hooks } from './hook.ts';
import type { CacheChange, ObjectCache } from './object-cache.ts';
import { selects } from './selector.ts';

/** How long the answer of a customize hook is believed (customize/manager.go). */
const REMEMBERED_MS = 20 * 60_000;

/** A cache that related objects come from is not filled yet: tried again soon, without a word. */
export class RelatedNotSynced extends Error {}

/** What a controller's customize hook asks for. */
export interface Related {
  /** The related objects of a parent as the caches have them, with a group a rule. */
  objectsFor(parent: KubeObject): Promise<Groups>;
  /**
   * Whether a change concerns the parent: the object as it was or as it is matches one of its rules. At once where the
   * rules are known; a change asks thousands of parents.
   */
  concerns(parent: KubeObject, change: CacheChange, kind: Kind): boolean | Promise<boolean>;
}

interface RelatedDeps {
  readonly hooks: Hooks;
  readonly clock: Clock;
  /** The cache of a kind; opened when it is asked for the first time. */
  readonly cacheOf: (kind: Kind) => ObjectCache;
  readonly kinds: readonly Kind[];
}

interface Rule extends RelatedRule {
  readonly kind: Kind;
}

export function createRelated(deps: RelatedDeps, controller: Controller): Related {
  const remembered = new Map<string, { readonly rules: readonly Rule[]; readonly until: number }>();

  const keyOf = ({ metadata: { uid = '', generation = 0 } }: KubeObject) => `${uid} ${generation}`;
  const knownRules = (parent: KubeObject): readonly Rule[] | undefined => {
    if (!controller.customize) return [];
    const known = remembered.get(keyOf(parent));
    return known && known.until > deps.clock.now() ? known.rules : undefined;
  };
  const askRules = async (parent: KubeObject): Promise<readonly Rule[]> => {
    const known = knownRules(parent);
    if (known || !controller.customize) return known ?? [];
    const request = { controller: controller.object, parent };
    const { relatedResources } = await deps.hooks.ask(controller.customize, request, customizeAnswer);
    const rules = relatedResources.map((rule) => ({ ...rule, kind: kindOf(rule, deps.kinds) }));
    forgetOld(remembered, deps.clock.now());
    remembered.set(keyOf(parent), { rules, until: deps.clock.now() + REMEMBERED_MS });
    return rules;
  };
  const concerned = (rules: readonly Rule[], { before, after }: CacheChange, kind: Kind) =>
    rules.some((rule) => rule.kind === kind && (matches(rule, after, deps) || matches(rule, before, deps)));
  return {
    async objectsFor(parent) {
      const groups: Groups = {};
      for (const rule of await askRules(parent)) addGroup(groups, rule.kind, objectsOf(rule, deps));
      return groups;
    },
    concerns(parent, change, kind) {
      const known = knownRules(parent);
      if (known) return concerned(known, change, kind);
      return askRules(parent).then(
        (rules) => concerned(rules, change, kind),
        // The next sync of this parent asks again, and says what is wrong.
        () => false,
      );
    },
  };
}

function kindOf({ apiVersion, resource }: RelatedRule, kinds: readonly Kind[]): Kind {
  const kind = kinds.find((known) => known.apiVersion === apiVersion && known.plural === resource);
  if (!kind) throw new Error(`the cluster has no resource ${resource} of ${apiVersion}`);
  return kind;
}

function objectsOf(rule: Rule, { cacheOf }: RelatedDeps): readonly KubeObject[] {
  const cache = cacheOf(rule.kind);
  if (!cache.synced()) throw new RelatedNotSynced();
  const query = { selector: rule.labelSelector, names: rule.names ?? undefined };
  if (!rule.namespaceSelector) return cache.find({ ...query, namespace: rule.namespace || undefined });
  if (!rule.kind.namespaced)
    throw new Error('namespaceSelector is for related resources that have a namespace');
  const namespaces = cacheOf(KINDS.Namespace);
  if (!namespaces.synced()) throw new RelatedNotSynced();
  return namespaces
    .find({ selector: rule.namespaceSelector })
    .flatMap(({ metadata }) => cache.find({ ...query, namespace: metadata.name }));
}

function matches(rule: Rule, object: KubeObject | undefined, { cacheOf }: RelatedDeps): boolean {
  if (!object) return false;
  const { namespace, name, labels } = object.metadata;
  if (rule.kind.namespaced && rule.namespace && rule.namespace !== namespace) return false;
  if (rule.names?.length && !rule.names.includes(name)) return false;
  if (!selects(rule.labelSelector, labels)) return false;
  if (!rule.namespaceSelector) return true;
  const home = cacheOf(KINDS.Namespace).get(undefined, namespace ?? '');
  return home !== undefined && selects(rule.namespaceSelector, home.metadata.labels);
}

/** Generations come and go; what nobody may ask for any more is dropped when there is much of it. */
function forgetOld(remembered: Map<string, { readonly until: number }>, now: number): void {
  if (remembered.size % 1000 !== 0) return;
  for (const [key, { until }] of remembered) if (until <= now) remembered.delete(key);
}
