import { randomUUID } from 'node:crypto';
import { parseAllDocuments } from 'yaml';
import { z } from 'zod';
import { SlessError } from '../../errors.ts';
import { issueLines } from '../../resources/kube/field-path.ts';
import type { Kind } from '../../resources/kube/kinds.ts';
import type { KubeObject } from '../../resources/kube/object.ts';
import { type Selector, selectorSchema } from './selector.ts';
import { type HookAddress, hookSchema } from './webhook.ts';

/** Objects of which kind are parents, and which of them. */
export interface ParentRule {
  readonly kind: Kind;
  readonly labels?: Selector | undefined;
  readonly annotations?: Selector | undefined;
  readonly ignoreStatusChanges: boolean;
}

/** A kind of children and what happens to one that is there already. */
export interface ChildRule {
  readonly kind: Kind;
  readonly update: 'OnDelete' | 'InPlace';
}

/** A CompositeController or DecoratorController, as far as the loop keeps to it. */
export interface Controller {
  readonly type: 'composite' | 'decorator';
  readonly name: string;
  /** The whole object, as hooks are shown it. */
  readonly object: KubeObject;
  readonly parents: readonly ParentRule[];
  readonly children: readonly ChildRule[];
  readonly sync: HookAddress;
  readonly customize?: HookAddress | undefined;
  readonly resyncPeriodSeconds?: number | undefined;
}

const rule = { apiVersion: z.string(), resource: z.string() };
const children = z
  .array(
    z.strictObject({
      ...rule,
      updateStrategy: z.strictObject({ method: z.enum(['OnDelete', 'InPlace']) }).optional(),
    }),
  )
  .default([]);
const hooks = z.strictObject({ sync: hookSchema, customize: hookSchema.optional() });
const annotationSelector = z
  .strictObject({
    matchAnnotations: selectorSchema.shape.matchLabels,
    matchExpressions: selectorSchema.shape.matchExpressions,
  })
  .transform(({ matchAnnotations, matchExpressions }) => ({
    matchLabels: matchAnnotations,
    matchExpressions,
  }));
const parent = {
  ...rule,
  labelSelector: selectorSchema.optional(),
  ignoreStatusChanges: z.boolean().default(false),
};
const shared = {
  hooks,
  resyncPeriodSeconds: z.number().min(1).optional(),
  // How hosts of hooks are reached and trusted: there is no way to them in one process.
  endpointConfigs: z.unknown().optional(),
};

const compositeSpec = z.strictObject({
  ...shared,
  generateSelector: z.literal(true),
  parentResource: z.strictObject(parent),
  childResources: children,
});
const decoratorSpec = z.strictObject({
  ...shared,
  resources: z.array(z.strictObject({ ...parent, annotationSelector: annotationSelector.optional() })).min(1),
  attachments: children,
});

const document = z.looseObject({
  apiVersion: z.string(),
  kind: z.string(),
  metadata: z.looseObject({ name: z.string().min(1) }),
  spec: z.unknown().optional(),
});
type Document = z.infer<typeof document>;

/**
 * The controllers in YAML texts; documents of other kinds are passed over. Throws `Invalid` with one detail a mistake, and for
 * whatever Metacontroller does and the loop does not: v1 hooks, finalize, Recreate and Rolling*, ETags, a selector of
 * the parent's own.
 */
export function parseControllers(texts: readonly string[], kinds: readonly Kind[]): Controller[] {
  return texts
    .flatMap((text) => parseAllDocuments(text).map((parsed) => parsed.toJS() as unknown))
    .map((value) => document.safeParse(value).data)
    .filter((found) => found?.apiVersion.startsWith('metacontroller.k8s.io/') ?? false)
    .flatMap((found) => (found ? (readController(found, kinds) ?? []) : []));
}

function readController(found: Document, kinds: readonly Kind[]): Controller | undefined {
  if (found.kind === 'CompositeController') return readComposite(found, kinds);
  if (found.kind === 'DecoratorController') return readDecorator(found, kinds);
  return undefined;
}

function readComposite(found: Document, kinds: readonly Kind[]): Controller {
  const spec = parseSpec(found, compositeSpec);
  const resolve = kindResolver(found, kinds);
  const { labelSelector, ignoreStatusChanges, ...resource } = spec.parentResource;
  return {
    type: 'composite',
    ...common(found, spec.hooks, spec.resyncPeriodSeconds),
    parents: [{ kind: resolve(resource), labels: labelSelector, ignoreStatusChanges }],
    children: spec.childResources.map((child) => childRule(child, resolve)),
  };
}

function readDecorator(found: Document, kinds: readonly Kind[]): Controller {
  const spec = parseSpec(found, decoratorSpec);
  const resolve = kindResolver(found, kinds);
  return {
    type: 'decorator',
    ...common(found, spec.hooks, spec.resyncPeriodSeconds),
    parents: spec.resources.map(
      ({ labelSelector, annotationSelector: annotations, ignoreStatusChanges, ...of }) => ({
        kind: resolve(of),
        labels: labelSelector,
        annotations,
        ignoreStatusChanges,
      }),
    ),
    children: spec.attachments.map((child) => childRule(child, resolve)),
  };
}

interface Resource {
  readonly apiVersion: string;
  readonly resource: string;
}

function common(found: Document, hook: z.output<typeof hooks>, resyncPeriodSeconds: number | undefined) {
  const { name } = found.metadata;
  const metadata = { ...found.metadata, uid: randomUUID(), generation: 1, managedFields: [] };
  const object = { apiVersion: found.apiVersion, kind: found.kind, metadata, spec: found.spec };
  return { name, object, resyncPeriodSeconds, ...hook };
}

function childRule(
  { updateStrategy, ...resource }: z.output<typeof children>[number],
  resolve: (resource: Resource) => Kind,
): ChildRule {
  return { kind: resolve(resource), update: updateStrategy?.method ?? 'OnDelete' };
}

function parseSpec<T extends z.ZodType>(found: Document, schema: T): z.output<T> {
  const parsed = schema.safeParse(found.spec);
  if (parsed.success) return parsed.data;
  throw refusal(found, issueLines('spec', parsed.error));
}

function kindResolver(found: Document, kinds: readonly Kind[]): (resource: Resource) => Kind {
  return ({ apiVersion, resource }) => {
    const kind = kinds.find((known) => known.apiVersion === apiVersion && known.plural === resource);
    if (kind) return kind;
    throw refusal(found, [`spec: the cluster has no resource ${resource} of ${apiVersion}`]);
  };
}

function refusal({ kind, metadata }: Document, details: readonly string[]): SlessError {
  const message = `${kind} ${metadata.name} cannot be kept by the sync loop of local mode: ${details.join('; ')}`;
  return new SlessError('Invalid', message, { details });
}
