import { BOUND_ROLES } from '../resources/tenant/role-binding.ts';
import type { ControllerScope, Resource } from './controllers.ts';

/** A rule of a ClusterRole. */
export interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
  /** Without them: all objects. */
  readonly resourceNames?: readonly string[];
}

/** What Metacontroller reads and writes whatever its controllers are. */
const ALWAYS: readonly Rule[] = [
  rule('metacontroller.k8s.io', ['compositecontrollers', 'decoratorcontrollers'], ['get', 'list', 'watch']),
  rule('metacontroller.k8s.io', ['controllerrevisions'], ['list', 'watch']),
  // It looks up whether a parent has a status of its own.
  rule('apiextensions.k8s.io', ['customresourcedefinitions'], ['get', 'list', 'watch']),
  rule('', ['events'], ['create', 'patch']),
  // Of the namespaces that related objects lie in; our hooks look at the namespace of their parent, too.
  rule('', ['namespaces'], ['list', 'watch']),
];

/** Under dynamic-apply it updates and, before it adopts, gets; under server-side-apply it patches. */
const CHILD = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete'];
const OURS = 'sless.dev';

/**
 * The smallest rights with which Metacontroller can keep these controllers. Each rule stands for what one of its own
 * failures, which are silent, would be about.
 */
export function metacontrollerRules(controllers: readonly ControllerScope[]): Rule[] {
  const binds = controllers.some(({ children }) =>
    children.some(({ resource }) => resource === 'rolebindings'),
  );
  return [...merge([...ALWAYS, ...controllers.flatMap(rulesOf)]), ...(binds ? [BIND] : [])];
}

/** Kubernetes lets nobody bind a role with more rights than they have themselves, unless they may bind that role by name. */
const BIND: Rule = {
  ...rule('rbac.authorization.k8s.io', ['clusterroles'], ['bind']),
  resourceNames: BOUND_ROLES,
};

function rulesOf({ kind, parents, children }: ControllerScope): Rule[] {
  const isComposite = kind === 'CompositeController';
  return [
    ...parents.flatMap((parent) => parentRules(parent, { isComposite, owns: children.length > 0 })),
    ...children.map((child) => rule(groupOf(child), [child.resource], CHILD)),
  ];
}

interface Parenthood {
  readonly isComposite: boolean;
  readonly owns: boolean;
}

function parentRules(parent: Resource, { isComposite, owns }: Parenthood): Rule[] {
  const group = groupOf(parent);
  const { resource } = parent;
  return [
    rule(group, [resource], isComposite ? ['get', 'list', 'watch'] : ['list', 'watch']),
    // A decorator writes labels and annotations onto our own kinds, and attaches to all others.
    ...(!isComposite && group === OURS ? [rule(group, [resource], ['update'])] : []),
    ...(isComposite ? [rule(group, [`${resource}/status`], ['update'])] : []),
    // Owner references that block deletion need this where OwnerReferencesPermissionEnforcement is on.
    ...(owns ? [rule(group, [`${resource}/finalizers`], ['update'])] : []),
  ];
}

/** The verbs of each resource together, and then the resources of equal verbs: one order, whatever the input's was. */
function merge(rules: readonly Rule[]): Rule[] {
  const verbs = new Map<string, Set<string>>();
  for (const { apiGroups, resources, verbs: given } of rules)
    for (const group of apiGroups)
      for (const resource of resources) {
        const key = `${group} ${resource}`;
        verbs.set(key, new Set([...(verbs.get(key) ?? []), ...given]));
      }
  const merged = new Map<string, { group: string; resources: string[]; verbs: string[] }>();
  for (const key of [...verbs.keys()].sort()) {
    const [group = '', resource = ''] = key.split(' ');
    const sorted = ORDER.filter((verb) => verbs.get(key)?.has(verb));
    const same = `${group} ${resource.split('/')[1] ?? ''} ${sorted.join()}`;
    const found = merged.get(same) ?? { group, resources: [], verbs: sorted };
    found.resources.push(resource);
    merged.set(same, found);
  }
  return [...merged.values()].map(({ group, resources, verbs: sorted }) => rule(group, resources, sorted));
}

const ORDER = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete'] as const;

function groupOf({ apiVersion }: Resource): string {
  return apiVersion.includes('/') ? (apiVersion.split('/')[0] ?? '') : '';
}

function rule(group: string, resources: readonly string[], verbs: readonly string[]): Rule {
  return { apiGroups: [group], resources, verbs };
}
