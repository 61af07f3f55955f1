import type { FunctionStatus } from '../../src/resources/function/schema.ts';
import type { FunctionSettings } from '../../src/resources/function/settings.ts';
import type { SyncRequest } from '../../src/resources/kube/hook.ts';
import { groupKey, KINDS } from '../../src/resources/kube/kinds.ts';
import { LABELS } from '../../src/resources/kube/labels.ts';
import type { KubeObject } from '../../src/resources/kube/object.ts';
import { FUNCTION_SETTINGS } from './settings.ts';

export const START = Date.parse('2026-01-02T03:04:05Z');
export const UID = '11111111-2222-3333-4444-555555555555';
export const DIGEST = `sha256:${'ab'.repeat(32)}`;

/** A cluster that holds one Function, and stands in for Metacontroller and the controllers of Kubernetes. All of it is open to tests. */
export interface World {
  parent: KubeObject;
  children: Map<string, KubeObject>;
  triggers: KubeObject[];
  settings: FunctionSettings;
  namespaceLabels: Record<string, string>;
  now: number;
  /** Kinds whose children are refused when they are to be created. */
  refused: Set<string>;
  /** Every name of a Job that was ever created. */
  readonly jobsMade: string[];
  writes: number;
}

export function world(spec: Record<string, unknown> = {}): World {
  return {
    parent: {
      apiVersion: KINDS.Function.apiVersion,
      kind: 'Function',
      metadata: { name: 'hello', namespace: 'team', uid: UID, generation: 1, annotations: {} },
      spec: { runtime: 'python3.11', ...spec },
    },
    children: new Map(),
    triggers: [],
    settings: FUNCTION_SETTINGS,
    namespaceLabels: { [LABELS.tenant]: 'true' },
    now: START,
    refused: new Set(),
    jobsMade: [],
    writes: 0,
  };
}

export const key = (version: number): string => `contexts/team/hello/v${version}.tar.gz`;

export function statusOf({ parent }: World): FunctionStatus {
  return (parent.status ?? {}) as FunctionStatus;
}

export function conditionOf(of: World, type: string) {
  return statusOf(of).conditions?.find((condition) => condition.type === type);
}

export function childOf(of: World, kind: string): KubeObject | undefined {
  return [...of.children.values()].find((child) => child.kind === kind);
}

/** The phase and the reason of the condition Ready. */
export function verdict(of: World): string {
  return `${statusOf(of).phase} ${conditionOf(of, 'Ready')?.reason}`;
}

/** The kinds of the children that are there. */
export function kinds(of: World): string[] {
  return [...of.children.values()].map(({ kind }) => kind).sort();
}

export function imageOf(of: World): string | undefined {
  return childOf(of, 'Deployment')?.metadata.annotations?.['sless.dev/image'];
}

export function replicasOf(of: World): number | undefined {
  return (childOf(of, 'Deployment')?.spec as { replicas: number } | undefined)?.replicas;
}

/** Changes the spec, as an update would. */
export function edit(of: World, spec: Record<string, unknown>): void {
  const { metadata } = of.parent;
  const next = { ...(of.parent.spec as object), ...spec };
  of.parent = {
    ...of.parent,
    spec: next,
    metadata: { ...metadata, generation: (metadata.generation ?? 0) + 1 },
  };
}

/** Sets annotations of the Function; `null` takes one away. */
export function annotate(of: World, changes: Record<string, string | null>): void {
  const { metadata } = of.parent;
  const merged = Object.entries({ ...metadata.annotations, ...changes });
  const annotations = Object.fromEntries(
    merged.flatMap(([name, value]) => (value === null ? [] : [[name, value]])),
  );
  of.parent = { ...of.parent, metadata: { ...metadata, annotations } };
}

export function trigger(name: string, spec: Record<string, unknown> = {}): KubeObject {
  return {
    apiVersion: KINDS.Trigger.apiVersion,
    kind: 'Trigger',
    metadata: { name, namespace: 'team', labels: { [LABELS.function]: 'hello' } },
    spec: { type: 'http', functionRef: 'hello', enabled: true, ...spec },
  };
}

const grouped = (objects: readonly KubeObject[]) =>
  Object.fromEntries(
    objects.map((object) => {
      const { namespace, name } = object.metadata;
      return [namespace === undefined ? name : `${namespace}/${name}`, object];
    }),
  );

export function requestOf(of: World): SyncRequest {
  const ofKind = (kind: string) => grouped([...of.children.values()].filter((child) => child.kind === kind));
  const namespace = {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: 'team', labels: of.namespaceLabels },
  };
  return {
    controller: {},
    parent: of.parent,
    children: Object.fromEntries(
      [KINDS.Deployment, KINDS.Service, KINDS.Job].map((kind) => [groupKey(kind), ofKind(kind.kind)]),
    ),
    related: {
      [groupKey(KINDS.Namespace)]: grouped([namespace]),
      [groupKey(KINDS.Trigger)]: grouped(of.triggers),
    },
    finalizing: false,
  };
}

/** What names a child within a world. */
export const idOf = ({ kind, metadata }: KubeObject): string =>
  `${kind} ${metadata.namespace}/${metadata.name}`;
