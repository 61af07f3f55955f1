import { z } from 'zod';
import type { Kind } from './kinds.ts';
import { groupKey } from './kinds.ts';
import type { KubeObject } from './object.ts';

/** Objects of one kind, by `namespace/name` (by `name` for kinds without a namespace): version v2 of the hooks. */
export type ObjectGroup = Readonly<Record<string, KubeObject>>;

/** Objects by kind (`Deployment.apps/v1`), then by key. */
export type ObjectGroups = Readonly<Record<string, ObjectGroup>>;

/** What Metacontroller sends to the sync hook of a CompositeController. */
export interface SyncRequest {
  readonly controller?: unknown;
  readonly parent: KubeObject;
  readonly children: ObjectGroups;
  readonly related: ObjectGroups;
  readonly finalizing: boolean;
}

/** What a sync hook answers. `status` replaces the whole status but for `observedGeneration`. */
export interface SyncResponse {
  readonly status: object;
  readonly children: readonly KubeObject[];
  readonly resyncAfterSeconds?: number;
}

/** What Metacontroller sends to a customize hook. */
export interface CustomizeRequest {
  readonly controller?: unknown;
  readonly parent: KubeObject;
}

/** Objects that a parent wants to see. Either names or a selector; absent keys are left out, never empty. */
export interface RelatedRule {
  readonly apiVersion: string;
  readonly resource: string;
  readonly namespace?: string;
  readonly names?: readonly string[];
  readonly labelSelector?: { readonly matchLabels: Readonly<Record<string, string>> };
}

export interface CustomizeResponse {
  readonly relatedResources: readonly RelatedRule[];
}

/** What Metacontroller sends to the sync hook of a DecoratorController. */
export interface DecorateRequest {
  readonly controller?: unknown;
  readonly object: KubeObject;
  readonly attachments: ObjectGroups;
  readonly related: ObjectGroups;
  readonly finalizing: boolean;
}

/** What a decorator answers. Without a status, the object's stays as it is. */
export interface DecorateResponse {
  readonly labels?: Readonly<Record<string, string>>;
  /** `null` takes one away. */
  readonly annotations?: Readonly<Record<string, string | null>>;
  readonly resyncAfterSeconds?: number;
  readonly attachments: readonly KubeObject[];
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isKubeObject = (value: unknown): boolean =>
  isRecord(value) &&
  typeof value.apiVersion === 'string' &&
  typeof value.kind === 'string' &&
  isRecord(value.metadata) &&
  typeof value.metadata.name === 'string';

// Objects come from the API server, which has checked them; walking through 18 KB of them again in every call
// would cost more than the hook itself. What a hook reads of them beyond this, it reads through a schema of its own.
const kubeObject = z.custom<KubeObject>(
  isKubeObject,
  'must be an object with apiVersion, kind and metadata.name',
);

const group = z.record(z.string(), kubeObject);

/**
 * Every kind must have its group, be it empty, and no other may be there: an answer given without knowing the children
 * of a kind would delete them.
 */
const groups = (kinds: readonly Kind[], perhaps: readonly Kind[] = []) =>
  z.strictObject({
    ...Object.fromEntries(kinds.map((kind) => [groupKey(kind), group])),
    ...Object.fromEntries(perhaps.map((kind) => [groupKey(kind), group.optional()])),
  });

const parentOf = (kind: Kind) =>
  kubeObject.refine((object) => object.kind === kind.kind && object.apiVersion === kind.apiVersion, {
    message: `must be a ${kind.kind} of ${kind.apiVersion}`,
  });

/** What a hook is about: its parent's kind, the kinds of its children, and those of its related objects. */
export interface HookKinds {
  readonly parent: Kind;
  readonly children: readonly Kind[];
  readonly related: readonly Kind[];
  /** Kinds of related objects that only some parents ask for. */
  readonly perhapsRelated?: readonly Kind[];
}

export function syncRequestSchema(kinds: HookKinds): z.ZodType<SyncRequest> {
  return z.strictObject({
    controller: z.unknown(),
    parent: parentOf(kinds.parent),
    children: groups(kinds.children),
    related: groups(kinds.related, kinds.perhapsRelated),
    finalizing: z.boolean(),
  }) as z.ZodType<SyncRequest>;
}

export function customizeRequestSchema(kinds: HookKinds): z.ZodType<CustomizeRequest> {
  return z.strictObject({ controller: z.unknown(), parent: parentOf(kinds.parent) });
}

export function decorateRequestSchema(kinds: HookKinds): z.ZodType<DecorateRequest> {
  return z.strictObject({
    controller: z.unknown(),
    object: parentOf(kinds.parent),
    attachments: groups(kinds.children),
    related: groups(kinds.related),
    finalizing: z.boolean(),
  }) as z.ZodType<DecorateRequest>;
}

const child = z.looseObject({
  apiVersion: z.string().min(1),
  kind: z.string().min(1),
  metadata: z.looseObject({ name: z.string().min(1), namespace: z.string().min(1) }),
});

/** The answers, as strictly as Metacontroller reads them in version v2. For tests: the types hold in between. */
export const syncResponseSchema = z.strictObject({
  status: z.record(z.string(), z.unknown()),
  children: z.array(child),
  resyncAfterSeconds: z.number().positive().optional(),
});

export const customizeResponseSchema = z.strictObject({
  relatedResources: z.array(
    z.strictObject({
      apiVersion: z.string().min(1),
      resource: z.string().min(1),
      namespace: z.string().min(1).optional(),
      names: z.array(z.string().min(1)).min(1).optional(),
      labelSelector: z.strictObject({ matchLabels: z.record(z.string(), z.string()) }).optional(),
    }),
  ),
});

export const decorateResponseSchema = z.strictObject({
  labels: z.record(z.string(), z.string()).optional(),
  annotations: z.record(z.string(), z.string().nullable()).optional(),
  attachments: z.array(child),
  resyncAfterSeconds: z.number().positive().optional(),
});

/** The objects of one kind. */
export function objectsOf(of: ObjectGroups, kind: Pick<Kind, 'apiVersion' | 'kind'>): readonly KubeObject[] {
  return Object.values(of[groupKey(kind)] ?? {});
}
